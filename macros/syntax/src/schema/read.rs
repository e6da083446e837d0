//! Construction of [`SchemaAttrs`] from checked keys.
//!
//! Defaults, examples and enum values are checked against the shape of the Rust type.

use super::{ExternalDocs, Junctor, OneOf, OneOfKind, SchemaAttrs, contradictions, validation};
use crate::keys::{Given, Keys};
use crate::table::Key;
use crate::{Json, JsonType, JsonValue, ListType, MapType, Place, Problems, Shape, Site, Spanned};

/// Reads the schema keys among `keys` and skips the keys of kinds.
pub(crate) fn read(keys: &Keys, place: &Place, problems: &mut Problems) -> SchemaAttrs {
    let overrides_type = Key::OVERRIDES_TYPE.iter().any(|key| keys.mentions(*key));
    let shape = if overrides_type {
        &Shape::Unknown
    } else {
        &place.shape
    };
    let mut attrs = constraints(keys, problems);
    read_overrides(&mut attrs, keys, problems);
    read_topology(&mut attrs, keys);
    read_presence(&mut attrs, keys);
    read_nested(&mut attrs, keys, shape, problems);
    attrs.validations = validation::read(keys, problems);
    contradictions::check(&attrs, keys, shape, problems);
    check(&attrs, shape, problems);
    attrs
}

fn constraints(keys: &Keys, problems: &mut Problems) -> SchemaAttrs {
    SchemaAttrs {
        minimum: keys.number(Key::MINIMUM),
        maximum: keys.number(Key::MAXIMUM),
        exclusive_minimum: keys.flag(Key::EXCLUSIVE_MINIMUM),
        exclusive_maximum: keys.flag(Key::EXCLUSIVE_MAXIMUM),
        multiple_of: keys.number(Key::MULTIPLE_OF),
        min_length: keys.whole(Key::MIN_LENGTH, problems),
        max_length: keys.whole(Key::MAX_LENGTH, problems),
        pattern: keys.text(Key::PATTERN),
        format: keys.text(Key::FORMAT),
        min_items: keys.whole(Key::MIN_ITEMS, problems),
        max_items: keys.whole(Key::MAX_ITEMS, problems),
        min_properties: keys.whole(Key::MIN_PROPERTIES, problems),
        max_properties: keys.whole(Key::MAX_PROPERTIES, problems),
        ..SchemaAttrs::default()
    }
}

fn read_overrides(attrs: &mut SchemaAttrs, keys: &Keys, problems: &mut Problems) {
    attrs.enumeration = keys.json(Key::ENUM).and_then(array);
    if let Some(values) = attrs.enumeration.take_if(|values| values.value.is_empty()) {
        let help = "add the values, or remove it";
        problems.report(values.span, "`enum` must not be empty", help);
    }
    attrs.default = keys.json(Key::DEFAULT);
    attrs.example = keys.json(Key::EXAMPLE);
    attrs.title = keys.text(Key::TITLE);
    attrs.external_docs = keys
        .arguments(Key::EXTERNAL_DOCS)
        .next()
        .and_then(|(docs, _)| {
            Some(ExternalDocs {
                url: docs.text(Key::URL)?,
                description: docs.text(Key::DESCRIPTION),
            })
        });
    attrs.json_type = keys.value(Key::TYPE, JsonType::from_name);
    attrs.int_or_string = keys.flag(Key::INT_OR_STRING);
    attrs.preserve_unknown_fields = keys.flag(Key::PRESERVE_UNKNOWN_FIELDS);
    attrs.embedded_resource = keys.flag(Key::EMBEDDED_RESOURCE);
    attrs.schemaless = keys.flag(Key::SCHEMALESS);
    attrs.schema = keys.json(Key::SCHEMA);
    let junctors = [
        (Key::ALL_OF, Junctor::All),
        (Key::ANY_OF, Junctor::Any),
        (Key::ONE_OF, Junctor::One),
        (Key::NOT, Junctor::Not),
    ];
    for (key, junctor) in junctors {
        let found = keys.get(key).zip(keys.json(key));
        attrs
            .junctors
            .extend(found.map(|(found, json)| (Spanned::new(junctor, found.span), json)));
    }
}

fn array(json: Json) -> Option<Spanned<Vec<Json>>> {
    match json.value {
        JsonValue::Array(items) => Some(Spanned::new(items, json.span)),
        _ => None,
    }
}

fn read_topology(attrs: &mut SchemaAttrs, keys: &Keys) {
    attrs.list_type = keys.value(Key::LIST_TYPE, ListType::from_name);
    attrs.list_map_keys = keys.texts(Key::LIST_MAP_KEYS);
    attrs.map_type = keys.value(Key::MAP_TYPE, MapType::from_name);
    attrs.struct_type = keys.value(Key::STRUCT_TYPE, MapType::from_name);
}

fn read_presence(attrs: &mut SchemaAttrs, keys: &Keys) {
    attrs.immutable = keys.flag(Key::IMMUTABLE);
    attrs.embedded_metadata = keys.flag(Key::EMBEDDED_METADATA);
    attrs.optional = keys.flag(Key::OPTIONAL);
    attrs.required = keys.flag(Key::REQUIRED);
    attrs.nullable = keys.flag(Key::NULLABLE);
    attrs.no_default = keys.flag(Key::NO_DEFAULT);
    attrs.skip = keys.flag(Key::SKIP);
    for found in keys.iter() {
        let kind = match found.key {
            Key::AT_MOST_ONE_OF => OneOfKind::AtMost,
            Key::EXACTLY_ONE_OF => OneOfKind::Exactly,
            Key::AT_LEAST_ONE_OF => OneOfKind::AtLeast,
            _ => continue,
        };
        if let Given::Texts(fields) = &found.given {
            attrs.one_of.push(OneOf {
                kind,
                fields: fields.clone(),
                span: found.span,
            });
        }
    }
}

fn read_nested(attrs: &mut SchemaAttrs, keys: &Keys, shape: &Shape, problems: &mut Problems) {
    let inner = match shape {
        Shape::List(inner) | Shape::Map(inner) => inner.as_ref().clone(),
        _ => Shape::Unknown,
    };
    let mut nested = |key, site, shape| {
        let place = Place { site, shape };
        let keys = Keys::read_nested(keys.schema(key)?, &place, problems);
        Some(Box::new(read(&keys, &place, problems)))
    };
    attrs.items = nested(Key::ITEMS, Site::Items, inner.clone());
    attrs.values = nested(Key::VALUES, Site::Values, inner);
    attrs.keys = nested(Key::KEYS, Site::Keys, Shape::String);
}

fn check(attrs: &SchemaAttrs, shape: &Shape, problems: &mut Problems) {
    let listed = attrs
        .enumeration
        .iter()
        .flat_map(|values| &values.value)
        .map(|value| (Key::ENUM, value));
    let single = [
        (Key::DEFAULT, &attrs.default),
        (Key::EXAMPLE, &attrs.example),
    ];
    let single = single
        .into_iter()
        .filter_map(|(key, value)| value.as_ref().map(|value| (key, value)));
    for (key, value) in listed.chain(single) {
        if let Some((part, shape)) = misfit(value, shape) {
            let message = format!(
                "expected {} for `{key}`, found {}",
                shape.describe(),
                describe(part)
            );
            problems.report(part.span, message, format!("write {}", sample(shape)));
        }
    }
}

impl Shape {
    /// Returns whether the value can belong to a type of this shape.
    pub fn admits(&self, value: &Json) -> bool {
        misfit(value, self).is_none()
    }
}

/// Returns the first part of the value that does not fit, with the shape that it should have.
/// `null` fits every shape, because only the field determines whether `null` is allowed.
fn misfit<'v>(json: &'v Json, shape: &'v Shape) -> Option<(&'v Json, &'v Shape)> {
    let fits = match (&json.value, shape) {
        (JsonValue::Array(items), Shape::List(item)) => {
            return items.iter().find_map(|json| misfit(json, item));
        }
        (JsonValue::Object(members), Shape::Map(value)) => {
            return members.iter().find_map(|(_, json)| misfit(json, value));
        }
        (JsonValue::Null, _) | (_, Shape::Unknown) => true,
        (JsonValue::Bool(_), Shape::Boolean) | (JsonValue::Number(_), Shape::Number) => true,
        (JsonValue::Number(number), Shape::Integer) => number.is_whole(),
        (JsonValue::String(_), Shape::String) => true,
        (JsonValue::Object(_), Shape::Struct) => true,
        // An untagged enum serializes as the content of its variants, which may be any value.
        (_, Shape::Enum) => true,
        _ => false,
    };
    (!fits).then_some((json, shape))
}

fn describe(json: &Json) -> &'static str {
    match json.value {
        JsonValue::Null => "null",
        JsonValue::Bool(_) => "boolean",
        JsonValue::Number(_) => "number",
        JsonValue::String(_) => "string",
        JsonValue::Array(_) => "list",
        JsonValue::Object(_) => "object",
    }
}

fn sample(shape: &Shape) -> &'static str {
    match shape {
        Shape::Unknown => "a JSON value",
        Shape::Boolean => "`true` or `false`",
        Shape::Integer => "an integer",
        Shape::Number => "a number",
        Shape::String => "a string",
        Shape::List(_) => "a list: `[..]`",
        Shape::Map(_) => "an object: `{ \"key\": .. }`",
        Shape::Struct | Shape::Enum => "an object: `{ \"name\": .. }`",
    }
}
