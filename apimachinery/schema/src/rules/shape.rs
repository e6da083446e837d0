//! Shapes of schemas, by which CEL converts data into values.

use std::collections::BTreeMap;
use std::sync::Arc;

use genclient_cel::escape;
use genclient_cel::evaluate::{Fields, ItemMerge, Shape, ShapeKind, TextFormat};

use crate::{JsonType, ListType, Schema};

/// Returns the shape of a schema. With `resource`, or for an embedded resource, the shape includes
/// `apiVersion`, `kind` and `metadata`.
pub(super) fn shape(schema: &Schema, resource: bool) -> Shape {
    let resource = resource || schema.embedded_resource;
    Shape {
        kind: shape_kind(schema, resource),
        nullable: schema.nullable,
    }
}

fn plain(kind: ShapeKind) -> Shape {
    Shape {
        kind,
        nullable: false,
    }
}

fn shape_kind(schema: &Schema, resource: bool) -> ShapeKind {
    if schema.int_or_string {
        return ShapeKind::IntOrString;
    }
    match schema.type_ {
        Some(JsonType::Object) => ShapeKind::Object(fields(schema, resource)),
        Some(JsonType::Array) => ShapeKind::Array(
            schema
                .items
                .as_deref()
                .map(|items| Arc::new(shape(items, false))),
            match schema.list_type {
                Some(ListType::Set) => ItemMerge::Set,
                Some(ListType::Map) => {
                    let keys = schema.list_map_keys.iter();
                    ItemMerge::Map(
                        keys.map(|key| escape(key).unwrap_or_else(|| key.clone()))
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
    let inner = |schema: &Arc<Schema>| Arc::new(shape(schema, false));
    if resource || !schema.properties.is_empty() {
        let mut properties: BTreeMap<_, _> = schema
            .properties
            .iter()
            .map(|(name, property)| (name.clone(), inner(property)))
            .collect();
        if resource && !has_metadata(schema) {
            let text = Arc::new(plain(ShapeKind::Text(TextFormat::Plain)));
            let names = ["name", "generateName"].map(|name| (name.to_owned(), text.clone()));
            let metadata = plain(ShapeKind::Object(Fields::Properties(names.into())));
            properties.insert("kind".to_owned(), text.clone());
            properties.insert("apiVersion".to_owned(), text);
            properties.insert("metadata".to_owned(), Arc::new(metadata));
        }
        return Fields::Properties(properties);
    }
    match &schema.additional_properties {
        Some(values) => Fields::Values(inner(values)),
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
