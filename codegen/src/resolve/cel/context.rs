//! Context of a rule: its position in the schema.

/// Attributes in which the sources of a kind state schemas, for help texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::resolve) enum SchemaDialect {
    /// `#[crd(…)]`, of types that derive `CrdSchema`.
    Crd,
    /// `#[schemars(…)]`, of types with kube's derive.
    Schemars,
    /// The same before schemars 1, which has no `extend`.
    OldSchemars,
}

impl SchemaDialect {
    /// Help for a field without a type.
    pub(super) fn type_of_field(self) -> &'static str {
        match self {
            Self::Crd => "set it with `#[crd(type = \"..\")]`",
            Self::Schemars | Self::OldSchemars => {
                "name a Rust type that has one: `#[schemars(with = \"..\")]`"
            }
        }
    }

    /// Help for a list of objects whose items cannot be correlated.
    pub(super) fn list_map(self) -> &'static str {
        match self {
            Self::Crd | Self::OldSchemars => {
                "give the list `#[crd(list_type = \"map\", list_map_keys = [..])]`, with \
                 `genclient::CrdSchema` in the derive of its struct"
            }
            Self::Schemars => {
                "give the list `#[schemars(extend(\"x-kubernetes-list-type\" = \"map\", \
                 \"x-kubernetes-list-map-keys\" = [..]))]`"
            }
        }
    }
}

/// Properties of a rule's position in the schema, such as the number of values there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct RuleContext {
    /// True if `self` is a whole object: of a kind, or an embedded resource.
    pub(super) root: bool,
    pub(super) dialect: SchemaDialect,
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
    pub(super) fn root(dialect: SchemaDialect) -> Self {
        Self {
            root: true,
            dialect,
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
