//! Shape of a schema: the parts needed to convert data into CEL values
//! (k8s.io/apiserver/pkg/cel/common, `UnstructuredToVal`).

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::cel::names;
use crate::{JsonType, ListType, Schema};

#[derive(Debug)]
pub(super) struct Shape {
    pub(super) kind: ShapeKind,
    pub(super) nullable: bool,
}

#[derive(Debug)]
pub(super) enum ShapeKind {
    IntOrString,
    Object(Fields),
    Array(Option<Arc<Shape>>, ItemMerge),
    Text(TextFormat),
    Number,
    Integer,
    Boolean,
    Preserved,
    Unknown,
}

#[derive(Debug)]
pub(super) enum ItemMerge {
    Atomic,
    Set,
    /// The merge keys, escaped for CEL.
    Map(Vec<String>),
}

#[derive(Debug)]
pub(super) enum TextFormat {
    Plain,
    Duration,
    Date,
    DateTime,
    Byte,
}

/// Shapes of the members of an object or a map.
#[derive(Debug)]
pub(super) enum Fields {
    /// Properties, by name.
    Properties(BTreeMap<String, Arc<Shape>>),
    /// Values of a map.
    Values(Arc<Shape>),
    /// No declared members.
    None,
}

impl Shape {
    /// Returns the shape of a schema. With `resource`, or for an embedded resource, the shape
    /// includes `apiVersion`, `kind` and `metadata`.
    pub(super) fn of(schema: &Schema, resource: bool) -> Self {
        let resource = resource || schema.embedded_resource;
        Self {
            kind: kind(schema, resource),
            nullable: schema.nullable,
        }
    }

    fn plain(kind: ShapeKind) -> Self {
        Self {
            kind,
            nullable: false,
        }
    }
}

fn kind(schema: &Schema, resource: bool) -> ShapeKind {
    if schema.int_or_string {
        return ShapeKind::IntOrString;
    }
    match schema.type_ {
        Some(JsonType::Object) => ShapeKind::Object(fields(schema, resource)),
        Some(JsonType::Array) => ShapeKind::Array(
            schema
                .items
                .as_deref()
                .map(|items| Arc::new(Shape::of(items, false))),
            match schema.list_type {
                Some(ListType::Set) => ItemMerge::Set,
                Some(ListType::Map) => {
                    let keys = schema.list_map_keys.iter();
                    ItemMerge::Map(
                        keys.map(|key| names::escape(key).unwrap_or_else(|| key.clone()))
                            .collect(),
                    )
                }
                Some(ListType::Atomic) | None => ItemMerge::Atomic,
            },
        ),
        Some(JsonType::String) => ShapeKind::Text(match schema.format.as_deref() {
            Some("duration") => TextFormat::Duration,
            Some("date") => TextFormat::Date,
            Some("date-time") => TextFormat::DateTime,
            Some("byte") => TextFormat::Byte,
            _ => TextFormat::Plain,
        }),
        Some(JsonType::Number) => ShapeKind::Number,
        Some(JsonType::Integer) => ShapeKind::Integer,
        Some(JsonType::Boolean) => ShapeKind::Boolean,
        None if schema.preserve_unknown_fields => ShapeKind::Preserved,
        None => ShapeKind::Unknown,
    }
}

fn fields(schema: &Schema, resource: bool) -> Fields {
    let shape = |schema: &Arc<Schema>| Arc::new(Shape::of(schema, false));
    if resource || !schema.properties.is_empty() {
        let mut properties: BTreeMap<_, _> = schema
            .properties
            .iter()
            .map(|(name, property)| (name.clone(), shape(property)))
            .collect();
        if resource && !has_metadata(schema) {
            let text = Arc::new(Shape::plain(ShapeKind::Text(TextFormat::Plain)));
            let names = ["name", "generateName"].map(|name| (name.to_owned(), text.clone()));
            let metadata = Shape::plain(ShapeKind::Object(Fields::Properties(names.into())));
            properties.insert("kind".to_owned(), text.clone());
            properties.insert("apiVersion".to_owned(), text);
            properties.insert("metadata".to_owned(), Arc::new(metadata));
        }
        return Fields::Properties(properties);
    }
    match &schema.additional_properties {
        Some(values) => Fields::Values(shape(values)),
        None => Fields::None,
    }
}

/// Returns whether the schema declares the fields that every resource has
/// (`model.WithTypeAndObjectMeta`).
fn has_metadata(schema: &Schema) -> bool {
    let typed = |schema: &Schema, name: &str, type_| {
        let property = schema.properties.get(name);
        property.is_some_and(|property| property.type_ == Some(type_))
    };
    let metadata = schema.properties.get("metadata");
    typed(schema, "kind", JsonType::String)
        && typed(schema, "apiVersion", JsonType::String)
        && typed(schema, "metadata", JsonType::Object)
        && metadata.is_some_and(|metadata| {
            typed(metadata, "name", JsonType::String)
                && typed(metadata, "generateName", JsonType::String)
        })
}

impl Fields {
    pub(super) fn declares(&self, name: &str) -> bool {
        match self {
            Self::Properties(properties) => properties.contains_key(name),
            Self::Values(_) => true,
            Self::None => false,
        }
    }
}
