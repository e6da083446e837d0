//! Context of a rule: its position in the schema.

/// Properties of a rule's position in the schema, such as the number of values there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct RuleContext {
    /// True if `self` is a whole object: of a kind, or an embedded resource.
    pub(super) root: bool,
    /// Set if an enclosing list does not have the list type `map`. The API server then cannot
    /// correlate old and new values, so rules cannot use `oldSelf`.
    pub(super) uncorrelated: Option<Uncorrelated>,
    /// `items` if `self` is an item of a list, `values` if it is a value of a map.
    pub(super) element_of: Option<&'static str>,
    /// Maximum number of values that an object has at this position: the product of the bounds of
    /// the enclosing lists and maps. `None` if one of them has no bound.
    pub(super) occurrences: Option<u64>,
    /// Enclosing lists and maps without a bound, each with its path and the missing attribute, such
    /// as `max_items`.
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

/// What the items are in a list that does not have the list type `map`. If several such lists
/// enclose a rule, the greater value counts: a list type does not help if one has scalars as items.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Uncorrelated {
    /// Objects: help suggests `list_type = "map"`.
    Objects,
    /// Values without fields, which cannot have merge keys.
    Scalars,
}
