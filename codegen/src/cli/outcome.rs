//! Exit status of a run that did not fail.

use std::process::ExitCode;

/// How a run that did not fail ended.
pub(super) enum Outcome {
    Fine,
    OutOfDate,
    Breaking,
}

impl From<Outcome> for ExitCode {
    fn from(outcome: Outcome) -> Self {
        match outcome {
            Outcome::Fine => Self::SUCCESS,
            Outcome::OutOfDate | Outcome::Breaking => Self::from(1),
        }
    }
}
