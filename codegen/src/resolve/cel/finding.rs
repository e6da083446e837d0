//! Findings of the checks, before they have a place in source.

use std::ops::Range;

use crate::diagnostic::Severity;

/// What is wrong with a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Finding {
    pub(super) severity: Severity,
    pub(super) message: String,
    pub(super) help: String,
    /// Bytes of the rule's text.
    pub(super) range: Option<Range<usize>>,
    /// True if it is about `field_path`, not about the rule.
    pub(super) in_field_path: bool,
}

impl Finding {
    pub(super) fn error(message: impl Into<String>, help: impl Into<String>) -> Self {
        Self {
            severity: Severity::Error,
            message: message.into(),
            help: help.into(),
            range: None,
            in_field_path: false,
        }
    }

    pub(super) fn warning(message: impl Into<String>, help: impl Into<String>) -> Self {
        Self {
            severity: Severity::Warning,
            ..Self::error(message, help)
        }
    }

    pub(super) fn at(mut self, range: Range<usize>) -> Self {
        self.range = Some(range);
        self
    }
}
