//! Declarations of the CEL types of schemas (`SchemaDeclType` of
//! k8s.io/apiserver/pkg/cel/common).

use std::collections::BTreeMap;
use std::sync::Arc;

use genclient_cel::{Type, escape};

use crate::{JsonType, Schema};
use genclient_cel::declare::{
    Declared, Field, Object, Objects, REQUEST_BYTES, SizeBound, SizeKeyword, simple,
};

/// Returns the declaration of `self`, or `None` if the schema has no CEL type. `root` is true for
/// the schema of a resource.
pub fn declare(schema: &Schema, root: bool) -> Option<(Declared, Objects)> {
    let mut objects = Objects::new();
    let declared = value_of(schema, root, "self".to_owned(), &mut objects)?;
    Some((declared, objects))
}

/// Returns the declaration of a nested value.
fn value(schema: &Schema, path: String, objects: &mut Objects) -> Option<Declared> {
    value_of(schema, schema.embedded_resource, path, objects)
}

fn value_of(schema: &Schema, root: bool, path: String, objects: &mut Objects) -> Option<Declared> {
    if schema.int_or_string {
        let max = text_limit(schema, REQUEST_BYTES - 2);
        return Some(Declared {
            bound: text_bound(schema),
            pattern: schema.pattern.as_deref().map(Arc::from),
            ..simple(Type::Dyn, max, 1, path)
        });
    }
    match schema.type_ {
        _ if root => Some(object(schema, true, path, objects)),
        Some(JsonType::Array) => list(schema, path, objects),
        // A boolean `additionalProperties` has no schema for values, so this is not a map.
        Some(JsonType::Object)
            if (schema.additional_properties.as_ref()).is_some_and(|it| it.boolean.is_none()) =>
        {
            map(schema, path, objects)
        }
        Some(JsonType::Object) => Some(object(schema, false, path, objects)),
        Some(JsonType::String) => Some(declare_text(schema, path)),
        Some(JsonType::Boolean) => Some(simple(Type::Bool, 0, 4, path)),
        Some(JsonType::Number) => Some(simple(Type::Double, 0, 1, path)),
        Some(JsonType::Integer) => Some(simple(Type::Int, 0, 1, path)),
        None if !schema.is_unknown() => None,
        // The schema has no type and does not preserve unknown fields. Another check reports this
        // error.
        _ => Some(simple(Type::Error, 0, 1, path)),
    }
}

fn list(schema: &Schema, path: String, objects: &mut Objects) -> Option<Declared> {
    let items = schema.items.as_deref()?;
    let inner = value(items, format!("{path}[*]"), objects)?;
    let most = (REQUEST_BYTES - 2) / (inner.min_bytes + 1);
    let bound = SizeBound {
        keyword: SizeKeyword::MaxItems,
        given: schema.max_items.is_some(),
    };
    Some(Declared {
        bound: Some(bound),
        type_: Type::list(inner.type_.clone()),
        inner: Some(Box::new(inner)),
        ..simple(Type::Dyn, schema.max_items.unwrap_or(most), 2, path)
    })
}

fn map(schema: &Schema, path: String, objects: &mut Objects) -> Option<Declared> {
    let values = schema.additional_properties.as_deref()?;
    let inner = value(values, format!("{path}[*]"), objects)?;
    let most = (REQUEST_BYTES - 2) / (inner.min_bytes + 6);
    let bound = SizeBound {
        keyword: SizeKeyword::MaxProperties,
        given: schema.max_properties.is_some(),
    };
    Some(Declared {
        bound: Some(bound),
        type_: Type::map(Type::Text, inner.type_.clone()),
        inner: Some(Box::new(inner)),
        ..simple(Type::Dyn, schema.max_properties.unwrap_or(most), 2, path)
    })
}

fn object(schema: &Schema, root: bool, path: String, objects: &mut Objects) -> Declared {
    let place = objects.len();
    objects.push(Object::default());
    let mut min_bytes = 2;
    let mut fields = BTreeMap::new();
    let mut hidden = BTreeMap::new();
    let meta = if root {
        metadata(schema)
    } else {
        BTreeMap::new()
    };
    for (name, property) in meta.iter().chain(
        schema
            .properties
            .iter()
            .filter(|(name, _)| !meta.contains_key(*name)),
    ) {
        let written = escape(name);
        let inner_path = format!("{path}.{}", written.as_deref().unwrap_or(name));
        let Some(declared) = value(property, inner_path, objects) else {
            hidden.insert(name.clone(), property.origin.0);
            continue;
        };
        let required = schema.required.contains(name);
        if required && property.default.is_none() {
            min_bytes += name.len() as u64 + declared.min_bytes + 4;
        }
        let present =
            requires(schema, name) || property.default.is_some() || meta.contains_key(name);
        match written {
            Some(written) => drop(fields.insert(written, Field { declared, present })),
            None => drop(hidden.insert(name.clone(), property.origin.0)),
        }
    }
    objects[place] = Object {
        fields,
        hidden,
        keeps_unknown: schema.preserve_unknown_fields,
        combined: !(schema.all_of.is_empty()
            && schema.any_of.is_empty()
            && schema.one_of.is_empty())
            || schema.not.is_some(),
    };
    simple(Type::Object(place), 0, min_bytes, path)
}

/// Returns whether the schema requires a property: itself, in a branch of `allOf`, or in all
/// branches of `anyOf` or of `oneOf`.
fn requires(schema: &Schema, name: &str) -> bool {
    let every = |branches: &[Schema]| {
        !branches.is_empty() && branches.iter().all(|branch| requires(branch, name))
    };
    schema.required.contains(name)
        || schema.all_of.iter().any(|part| requires(part, name))
        || every(&schema.any_of)
        || every(&schema.one_of)
}

/// Returns the schemas of `kind`, `apiVersion` and `metadata` in a resource. `schema` defines them
/// if it has all three, and `metadata` has `name` and `generateName`. Otherwise, the API server's
/// own schemas apply.
fn metadata(schema: &Schema) -> BTreeMap<String, Arc<Schema>> {
    let typed = |schema: Option<&Arc<Schema>>, type_| {
        schema.is_some_and(|schema| schema.type_ == Some(type_))
    };
    let stated = schema.properties.get("metadata");
    let name = |name| {
        typed(
            stated.and_then(|metadata| metadata.properties.get(name)),
            JsonType::String,
        )
    };
    let complete = typed(schema.properties.get("kind"), JsonType::String)
        && typed(schema.properties.get("apiVersion"), JsonType::String)
        && typed(stated, JsonType::Object)
        && name("name")
        && name("generateName");
    let text = Arc::new(Schema::typed(JsonType::String));
    let mut metadata = Schema::typed(JsonType::Object);
    for name in ["name", "generateName"] {
        metadata.properties.insert(name.to_owned(), text.clone());
    }
    let metadata = metadata.into();
    let mut added = BTreeMap::new();
    for (name, schema_added) in [
        ("kind", &text),
        ("apiVersion", &text),
        ("metadata", &metadata),
    ] {
        let own = schema.properties.get(name).filter(|_| complete);
        added.insert(name.to_owned(), own.unwrap_or(schema_added).clone());
    }
    added
}

fn declare_text(schema: &Schema, path: String) -> Declared {
    let sized = |type_, max, min_bytes| Declared {
        choices: choices(schema),
        pattern: schema.pattern.as_deref().map(Arc::from),
        ..simple(type_, max, min_bytes, path.clone())
    };
    match schema.format.as_deref() {
        Some("byte") => Declared {
            bound: text_bound(schema),
            ..sized(
                Type::Bytes,
                schema.max_length.unwrap_or(REQUEST_BYTES - 2),
                2,
            )
        },
        Some("duration") => sized(Type::Duration, 32, 3),
        Some("date") => sized(Type::Timestamp, 12, 12),
        Some("date-time") => sized(Type::Timestamp, 32, 21),
        _ if schema.max_length.is_none() && !schema.enum_.is_empty() => {
            let longest = schema
                .enum_
                .iter()
                .filter_map(|value| value.as_str())
                .map(str::len)
                .max();
            sized(Type::Text, longest.unwrap_or(0) as u64, 2)
        }
        _ => Declared {
            bound: text_bound(schema),
            ..sized(Type::Text, text_limit(schema, REQUEST_BYTES - 2), 2)
        },
    }
}

/// Returns the strings of `enum`. Empty if `enum` has other values or the field is nullable.
fn choices(schema: &Schema) -> Arc<[String]> {
    let texts: Option<Vec<_>> = schema
        .enum_
        .iter()
        .map(|value| value.as_str().map(str::to_owned))
        .collect();
    texts
        .filter(|_| !schema.nullable)
        .unwrap_or_default()
        .into()
}

fn text_bound(schema: &Schema) -> Option<SizeBound> {
    Some(SizeBound {
        keyword: SizeKeyword::MaxLength,
        given: schema.max_length.is_some(),
    })
}

/// Returns `maxLength` in bytes, at four bytes for each character. Without `maxLength`, returns
/// `otherwise`.
fn text_limit(schema: &Schema, otherwise: u64) -> u64 {
    schema
        .max_length
        .map_or(otherwise, |length| length.saturating_mul(4))
}
