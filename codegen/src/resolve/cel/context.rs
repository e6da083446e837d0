//! Context of a rule: the place in the schema where it stands.

/// What a rule's own schema does not say of the place where the rule stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct RuleContext {
    /// True for a served type and for an embedded resource.
    pub(super) root: bool,
    /// The list around the rule in which the API server cannot tell which old value belongs to a
    /// new one.
    pub(super) uncorrelated: Option<Uncorrelated>,
    /// The attribute for the value of the rule, if that is an item of a list or a value of a map.
    pub(super) element_of: Option<&'static str>,
    /// The most values that an object can have in this place; none if nothing bounds them.
    pub(super) occurrences: Option<u64>,
    /// The enclosing lists and maps without a bound: the path, and the attribute that is missing.
    pub(super) unbounded: Vec<(String, &'static str)>,
}

impl RuleContext {
    /// The whole object.
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

/// A list whose items have no key, by what would give them one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Uncorrelated {
    /// A list of objects, which can be one of `list_type = "map"`.
    Objects,
    /// A list of values without fields.
    Scalars,
}
