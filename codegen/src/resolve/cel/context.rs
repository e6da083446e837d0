//! Context of a rule: the place in the schema where it stands.

/// What a rule's own schema does not say of the place where the rule stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct RuleContext {
    /// True for a served type and for an embedded resource.
    pub(super) root: bool,
    /// True if the API server can tell which old value belongs to a new one.
    pub(super) correlatable: bool,
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
            correlatable: true,
            occurrences: Some(1),
            unbounded: Vec::new(),
        }
    }
}
