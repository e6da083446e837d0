//! Values that are names out of a closed set: verbs, scopes, types, topologies and reasons.

/// What a client can do, in client-go's order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(missing_docs, reason = "the names are the API server's own")]
pub enum Verb {
    Create,
    Update,
    UpdateStatus,
    Delete,
    DeleteCollection,
    Get,
    List,
    Watch,
    Patch,
    Apply,
    ApplyStatus,
}

pub(crate) const VERB_NAMES: &[&str] = &[
    "create",
    "update",
    "update_status",
    "delete",
    "delete_collection",
    "get",
    "list",
    "watch",
    "patch",
    "apply",
    "apply_status",
];

impl Verb {
    /// Every verb, in client-go's order.
    pub const ALL: [Self; 11] = [
        Self::Create,
        Self::Update,
        Self::UpdateStatus,
        Self::Delete,
        Self::DeleteCollection,
        Self::Get,
        Self::List,
        Self::Watch,
        Self::Patch,
        Self::Apply,
        Self::ApplyStatus,
    ];

    /// The verb in snake case, as attributes and methods have it.
    pub fn as_str(self) -> &'static str {
        VERB_NAMES[self as usize]
    }

    /// The verb of that name in snake case.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|verb| verb.as_str() == name)
    }

    pub(crate) fn is_status(self) -> bool {
        matches!(self, Self::UpdateStatus | Self::ApplyStatus)
    }
}

/// What an extension method can do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are the API server's own")]
pub enum MethodVerb {
    Create,
    Update,
    Get,
    List,
    Patch,
    Apply,
}

pub(crate) const METHOD_VERB_NAMES: &[&str] =
    &["create", "update", "get", "list", "patch", "apply"];

impl MethodVerb {
    /// Every verb that a method may have.
    pub const ALL: [Self; 6] = [
        Self::Create,
        Self::Update,
        Self::Get,
        Self::List,
        Self::Patch,
        Self::Apply,
    ];

    /// The verb in snake case.
    pub fn as_str(self) -> &'static str {
        METHOD_VERB_NAMES[self as usize]
    }

    /// Whether an object is sent.
    pub fn has_input(self) -> bool {
        matches!(self, Self::Create | Self::Update | Self::Apply)
    }

    pub(crate) fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|verb| verb.as_str() == name)
    }
}

/// Whether objects live in namespaces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// Each object has a namespace.
    Namespaced,
    /// Objects belong to the cluster.
    Cluster,
}

impl Scope {
    /// The scope as a custom resource definition writes it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Namespaced => "Namespaced",
            Self::Cluster => "Cluster",
        }
    }
}

/// Types of JSON values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JsonType {
    /// `{…}`
    Object,
    /// `[…]`
    Array,
    /// `"…"`
    String,
    /// A whole number.
    Integer,
    /// Any number.
    Number,
    /// `true` or `false`
    Boolean,
}

/// `x-kubernetes-list-type`
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ListType {
    /// Items are told apart by their keys.
    Map,
    /// Items are unique scalars.
    Set,
    /// The list has one owner.
    Atomic,
}

/// `x-kubernetes-map-type`
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MapType {
    /// Each entry has its own owner.
    Granular,
    /// The map has one owner.
    Atomic,
}

/// Machine-readable causes that a rule may give.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// `FieldValueRequired`
    Required,
    /// `FieldValueInvalid`
    Invalid,
    /// `FieldValueForbidden`
    Forbidden,
    /// `FieldValueDuplicate`
    Duplicate,
}

impl Reason {
    /// The reason as the API server writes it: `FieldValueInvalid`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Required => "FieldValueRequired",
            Self::Invalid => "FieldValueInvalid",
            Self::Forbidden => "FieldValueForbidden",
            Self::Duplicate => "FieldValueDuplicate",
        }
    }

    pub(crate) fn from_name(name: &str) -> Option<Self> {
        [
            Self::Required,
            Self::Invalid,
            Self::Forbidden,
            Self::Duplicate,
        ]
        .into_iter()
        .find(|reason| reason.as_str() == name)
    }
}

impl JsonType {
    /// The type as a schema writes it: `object`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Object => "object",
            Self::Array => "array",
            Self::String => "string",
            Self::Integer => "integer",
            Self::Number => "number",
            Self::Boolean => "boolean",
        }
    }

    pub(crate) fn from_name(name: &str) -> Option<Self> {
        let all = [
            Self::Object,
            Self::Array,
            Self::String,
            Self::Integer,
            Self::Number,
            Self::Boolean,
        ];
        all.into_iter().find(|json_type| json_type.as_str() == name)
    }
}

impl ListType {
    /// The topology as a schema writes it: `map`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Map => "map",
            Self::Set => "set",
            Self::Atomic => "atomic",
        }
    }

    pub(crate) fn from_name(name: &str) -> Option<Self> {
        [Self::Map, Self::Set, Self::Atomic]
            .into_iter()
            .find(|list_type| list_type.as_str() == name)
    }
}

impl MapType {
    /// The topology as a schema writes it: `granular`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Granular => "granular",
            Self::Atomic => "atomic",
        }
    }

    pub(crate) fn from_name(name: &str) -> Option<Self> {
        [Self::Granular, Self::Atomic]
            .into_iter()
            .find(|map_type| map_type.as_str() == name)
    }
}
