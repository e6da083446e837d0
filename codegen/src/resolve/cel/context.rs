//! Context of a rule: its position in the schema.

/// Properties of a rule's position that follow from the enclosing schemas.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct RuleContext {
    /// True for the schema of a served type or of an embedded resource.
    pub(super) root: bool,
    /// The reason why the API server cannot correlate old and new values here: an enclosing list
    /// that is not of type `map`.
    pub(super) uncorrelated: Option<Uncorrelated>,
    /// `items` or `values`, if the rule is for an item of a list or a value of a map.
    pub(super) element_of: Option<&'static str>,
    /// Maximum number of values that an object has at this position; `None` if unbounded.
    pub(super) occurrences: Option<u64>,
    /// Enclosing lists and maps without a bound: the path, and the missing attribute.
    pub(super) unbounded: Vec<(String, &'static str)>,
}

impl RuleContext {
    /// The context of rules on the whole object.
    pub(super) fn root() -> Self {
        Self {
            root: true,
            uncorrelated: None,
            element_of: None,
            occurrences: Some(1),
            unbounded: Vec::new(),
        }
    }
}

/// Items of a list that is not of type `map`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Uncorrelated {
    /// Objects: the list can become `list_type = "map"`.
    Objects,
    /// Values without fields, which cannot have merge keys.
    Scalars,
}
