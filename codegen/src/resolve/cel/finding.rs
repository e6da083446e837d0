//! Findings about a rule, and the position of the rule in its schema.

use std::ops::Range;

use genclient_syntax::Help;

use super::dialect::{FieldDeclaration, FieldOrigin, SchemaDialect, SizedValue};
use crate::diagnostic::Severity;

/// An error in or a warning about a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Finding {
    pub(super) severity: Severity,
    pub(super) message: String,
    pub(super) help: Help,
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
    pub(super) fn error(message: impl Into<String>, help: impl Into<Help>) -> Self {
        Self {
            severity: Severity::Error,
            message: message.into(),
            help: help.into(),
            text: RuleText::Rule,
            range: None,
        }
    }

    pub(super) fn warning(message: impl Into<String>, help: impl Into<Help>) -> Self {
        Self {
            severity: Severity::Warning,
            ..Self::error(message, help)
        }
    }

    pub(super) fn about(mut self, text: RuleText) -> Self {
        self.text = text;
        self
    }

    pub(super) fn at(mut self, range: Range<usize>) -> Self {
        self.range = Some(range);
        self
    }
}

/// Properties of a rule's position in the schema, such as the number of values there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct RulePosition {
    /// True if `self` is a whole object: of a kind, or an embedded resource.
    pub(super) root: bool,
    /// The declaration of `self`.
    pub(super) declaration: FieldDeclaration,
    /// Set if an enclosing list does not have the list type `map`. The API server then cannot
    /// correlate old and new values, so rules cannot use `oldSelf`.
    pub(super) uncorrelated: Option<Uncorrelated>,
    /// Maximum number of values that an object has at this position: the product of the bounds of
    /// the enclosing lists and maps. `None` if one of them has no bound.
    pub(super) occurrences: Option<u64>,
    /// Enclosing lists and maps without a bound.
    pub(super) unbounded: Vec<SizedValue>,
}

impl RulePosition {
    /// The position of rules on the whole object.
    pub(super) fn root(dialect: SchemaDialect) -> Self {
        Self {
            root: true,
            declaration: FieldDeclaration {
                origin: FieldOrigin {
                    dialect,
                    has_schema_with: false,
                },
                parts: Vec::new(),
            },
            uncorrelated: None,
            occurrences: Some(1),
            unbounded: Vec::new(),
        }
    }

    /// The position of an expression that is evaluated once for an object.
    pub(super) fn once(&self) -> Self {
        Self {
            occurrences: Some(1),
            unbounded: Vec::new(),
            ..self.clone()
        }
    }
}

/// What the items are in a list that does not have the list type `map`. If several such lists
/// enclose a rule, the greater value counts: a list type does not help if one has scalars as items.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Uncorrelated {
    /// Objects: help suggests the list type `map`, in attributes of this dialect.
    Objects(SchemaDialect),
    /// Values without fields, which cannot have merge keys.
    Scalars,
}
