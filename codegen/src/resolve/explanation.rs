//! Texts of a finding before it has a severity and a location.

use genclient_syntax::Help;

/// A message, and help that says what to write instead.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Explanation {
    pub(super) message: String,
    pub(super) help: Help,
}

impl Explanation {
    pub(super) fn new(message: impl Into<String>, help: impl Into<Help>) -> Self {
        Self {
            message: message.into(),
            help: help.into(),
        }
    }
}
