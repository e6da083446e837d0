//! Exit status of a command that has already printed its result.

use std::process::ExitCode;

/// How a run ended.
pub(super) enum Outcome {
    Fine,
    OutOfDate,
    Breaking,
    /// Nothing was done, or not everything; the reasons were printed.
    Incomplete,
}

impl From<Outcome> for ExitCode {
    fn from(outcome: Outcome) -> Self {
        match outcome {
            Outcome::Fine => Self::SUCCESS,
            Outcome::OutOfDate | Outcome::Breaking => Self::from(1),
            Outcome::Incomplete => Self::from(2),
        }
    }
}
