//! Exit status of a command that has already printed its result.

use std::process::ExitCode;

/// Result of a command.
pub(super) enum Outcome {
    Fine,
    OutOfDate,
    Breaking,
    /// The command did nothing or only a part of its work. It has printed the reasons.
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
