//! Schema mapping of a known type.

use genclient_schema::kubernetes as published;

use crate::model::{JsonType, Schema};

/// Mapping of a known type: to a schema, to its type arguments, or to an error.
#[derive(Clone)]
pub(crate) enum Known {
    /// A type with this schema.
    Is(Box<Schema>),
    /// `Option<T>`
    Optional,
    /// `Box<T>`: the inner type.
    Inner,
    /// `Vec<T>`
    List,
    /// `BTreeSet<T>`
    Set,
    /// `BTreeMap<K, V>`
    Map,
    /// A type that has this schema in kinds with kube's derive. In other kinds it is an error, and
    /// the text is the help.
    Discouraged(Box<Schema>, &'static str),
    /// A type that is always an error, with the help to print.
    Refused(&'static str),
}

impl Known {
    pub(super) fn schema(schema: Schema) -> Self {
        Self::Is(Box::new(schema))
    }

    pub(super) fn string() -> Self {
        Self::schema(Schema::typed(JsonType::String))
    }

    pub(super) fn formatted(format: &str) -> Self {
        Self::schema(Schema::formatted(JsonType::String, format))
    }

    /// Any JSON value.
    pub(super) fn any() -> Self {
        Self::schema(published::anything())
    }

    /// Any JSON object.
    pub(super) fn any_object() -> Self {
        Self::schema(published::open_object())
    }
}
