//! Findings of the rule checks, with a location in the rule instead of a source file.

use std::ops::Range;

use crate::diagnostic::Severity;

/// An error in or a warning about a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Finding {
    pub(super) severity: Severity,
    pub(super) message: String,
    pub(super) help: String,
    pub(super) text: RuleText,
    /// Byte range in `text`; `None` for the whole text.
    pub(super) range: Option<Range<usize>>,
}

/// The texts of a rule that a finding can be about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RuleText {
    Rule,
    FieldPath,
    MessageExpression,
}

impl Finding {
    pub(super) fn error(message: impl Into<String>, help: impl Into<String>) -> Self {
        Self {
            severity: Severity::Error,
            message: message.into(),
            help: help.into(),
            text: RuleText::Rule,
            range: None,
        }
    }

    pub(super) fn warning(message: impl Into<String>, help: impl Into<String>) -> Self {
        Self {
            severity: Severity::Warning,
            ..Self::error(message, help)
        }
    }

    pub(super) fn of(mut self, text: RuleText) -> Self {
        self.text = text;
        self
    }

    pub(super) fn at(mut self, range: Range<usize>) -> Self {
        self.range = Some(range);
        self
    }
}
