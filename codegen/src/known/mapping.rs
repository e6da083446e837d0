//! Schema mappings for types of other crates.

use genclient_schema::kubernetes as published;

use crate::model::{JsonType, Schema};

/// What a type of another crate is.
#[derive(Clone)]
pub(crate) enum Known {
    /// A schema of its own.
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
    /// A schema that a kind of kube's keeps. Other kinds have a better type, which the text names.
    Discouraged(Box<Schema>, &'static str),
    /// A type that cannot be served, and what to use instead.
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
