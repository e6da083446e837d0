//! CEL rules: what the API server would refuse, and what it takes though it cannot have been meant.
//!
//! `genclient-schema` parses a rule, finds its types and estimates its cost. This module words its
//! findings and adds advice. If the server's verdict is uncertain, no finding is reported.

mod budget;
mod choices;
mod guards;
mod places;
mod report;
mod rule;
mod suggest;
mod variables;
mod walk;
mod words;

#[cfg(test)]
mod tests;

use std::ops::Range;

use crate::diagnostic::Severity;

pub(super) use genclient_schema::cel::escape;
pub(super) use report::report;
use walk::check_all;

/// What the schema alone does not say of the place where a rule stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Place {
    /// True for a served type and for an embedded resource.
    pub(super) root: bool,
    /// True if the API server can tell which old value belongs to a new one.
    pub(super) correlatable: bool,
    /// The most values that an object can have in this place; none if nothing bounds them.
    pub(super) occurrences: Option<u64>,
    /// The enclosing lists and maps without a bound: the path, and the attribute that is missing.
    pub(super) unbounded: Vec<(String, &'static str)>,
}

impl Place {
    /// The whole object.
    pub(super) fn root() -> Self {
        Self {
            root: true,
            correlatable: true,
            occurrences: Some(1),
            unbounded: Vec::new(),
        }
    }
}

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
    fn error(message: impl Into<String>, help: impl Into<String>) -> Self {
        Self {
            severity: Severity::Error,
            message: message.into(),
            help: help.into(),
            range: None,
            in_field_path: false,
        }
    }

    fn warning(message: impl Into<String>, help: impl Into<String>) -> Self {
        Self {
            severity: Severity::Warning,
            ..Self::error(message, help)
        }
    }

    fn at(mut self, range: Range<usize>) -> Self {
        self.range = Some(range);
        self
    }
}
