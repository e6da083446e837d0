//! Checked keys in, [`SchemaAttrs`] out.

use super::{
    ExternalDocs, JsonType, ListType, MapType, OneOf, OneOfKind, SchemaAttrs, contradictions, fits,
    validation,
};
use crate::keys::Keys;
use crate::table::{Attribute, TABLE, Within};
use crate::{Json, JsonValue, Place, Problems, Shape, Site, Spanned};

/// Reads the schema keys among `keys`; those of a served type are left alone.
pub(crate) fn read(keys: &Keys, place: &Place, problems: &mut Problems) -> SchemaAttrs {
    let overridden = [
        "type",
        "int_or_string",
        "schema",
        "schemaless",
        "preserve_unknown_fields",
        "embedded_resource",
    ];
    let shape = if overridden.iter().any(|name| keys.get(name).is_some()) {
        &Shape::Unknown
    } else {
        &place.shape
    };
    check_shape(keys, shape, problems);
    let mut attrs = constraints(keys, problems);
    read_overrides(&mut attrs, keys);
    read_topology(&mut attrs, keys);
    read_presence(&mut attrs, keys);
    read_nested(&mut attrs, keys, shape, problems);
    attrs.validations = validation::read(keys, problems);
    contradictions::check(&attrs, keys, shape, problems);
    fits::check(&attrs, shape, problems);
    attrs
}

fn constraints(keys: &Keys, problems: &mut Problems) -> SchemaAttrs {
    SchemaAttrs {
        minimum: keys.number("minimum"),
        maximum: keys.number("maximum"),
        exclusive_minimum: keys.flag("exclusive_minimum"),
        exclusive_maximum: keys.flag("exclusive_maximum"),
        multiple_of: keys.number("multiple_of"),
        min_length: keys.whole("min_length", problems),
        max_length: keys.whole("max_length", problems),
        pattern: keys.text("pattern"),
        format: keys.text("format"),
        min_items: keys.whole("min_items", problems),
        max_items: keys.whole("max_items", problems),
        min_properties: keys.whole("min_properties", problems),
        max_properties: keys.whole("max_properties", problems),
        ..SchemaAttrs::default()
    }
}

fn read_overrides(attrs: &mut SchemaAttrs, keys: &Keys) {
    attrs.enumeration = keys.json("enum").and_then(array);
    attrs.default = keys.json("default");
    attrs.example = keys.json("example");
    attrs.title = keys.text("title");
    attrs.external_docs = keys
        .arguments("external_docs")
        .next()
        .and_then(|(docs, _)| {
            Some(ExternalDocs {
                url: docs.text("url")?,
                description: docs.text("description"),
            })
        });
    attrs.json_type = keys
        .text("type")
        .and_then(|name| known(name, JsonType::from_name));
    attrs.int_or_string = keys.flag("int_or_string");
    attrs.preserve_unknown_fields = keys.flag("preserve_unknown_fields");
    attrs.embedded_resource = keys.flag("embedded_resource");
    attrs.schemaless = keys.flag("schemaless");
    attrs.schema = keys.json("schema");
}

fn array(json: Json) -> Option<Spanned<Vec<Json>>> {
    match json.value {
        JsonValue::Array(items) => Some(Spanned::new(items, json.span)),
        _ => None,
    }
}

fn read_topology(attrs: &mut SchemaAttrs, keys: &Keys) {
    attrs.list_type = keys
        .text("list_type")
        .and_then(|name| known(name, ListType::from_name));
    attrs.list_map_keys = keys.texts("list_map_keys");
    attrs.map_type = keys
        .text("map_type")
        .and_then(|name| known(name, MapType::from_name));
    attrs.struct_type = keys
        .text("struct_type")
        .and_then(|name| known(name, MapType::from_name));
}

fn known<T>(
    name: Spanned<String>,
    from_name: impl FnOnce(&str) -> Option<T>,
) -> Option<Spanned<T>> {
    from_name(&name.value).map(|value| Spanned::new(value, name.span))
}

fn read_presence(attrs: &mut SchemaAttrs, keys: &Keys) {
    attrs.immutable = keys.flag("immutable");
    attrs.embedded_metadata = keys.flag("embedded_metadata");
    attrs.optional = keys.flag("optional");
    attrs.required = keys.flag("required");
    attrs.nullable = keys.flag("nullable");
    attrs.no_default = keys.flag("no_default");
    attrs.skip = keys.flag("skip");
    for key in keys.iter() {
        let kind = match key.name {
            "at_most_one_of" => OneOfKind::AtMost,
            "exactly_one_of" => OneOfKind::Exactly,
            "at_least_one_of" => OneOfKind::AtLeast,
            _ => continue,
        };
        if let crate::keys::Given::Texts(fields) = &key.given {
            attrs.one_of.push(OneOf {
                kind,
                fields: fields.clone(),
                span: key.span,
            });
        }
    }
}

fn read_nested(attrs: &mut SchemaAttrs, keys: &Keys, shape: &Shape, problems: &mut Problems) {
    let inner = match shape {
        Shape::List(inner) | Shape::Map(inner) => inner.as_ref().clone(),
        _ => Shape::Unknown,
    };
    let mut nested = |name, site, shape| {
        let place = Place { site, shape };
        let keys = Keys::read_nested(keys.schema(name)?, &place, problems);
        Some(Box::new(read(&keys, &place, problems)))
    };
    attrs.items = nested("items", Site::Items, inner.clone());
    attrs.values = nested("values", Site::Values, inner);
    attrs.keys = nested("keys", Site::Keys, Shape::String);
}

/// Each key has to make sense for what can be seen of the type.
fn check_shape(keys: &Keys, shape: &Shape, problems: &mut Problems) {
    for key in keys.iter() {
        let entry = TABLE
            .iter()
            .find(|entry| entry.within == Within::Crd && entry.name == key.name);
        if let Some(entry) = entry.filter(|entry| !entry.applies.admits(shape)) {
            let message = format!(
                "`{}` is for {}, and this is {}",
                entry.name,
                entry.applies,
                shape.describe()
            );
            problems.report(key.span, message, remedy(entry, shape));
        }
    }
}

/// Where a misplaced constraint was likely meant to go.
fn remedy(entry: &Attribute, shape: &Shape) -> String {
    let usage = entry.usage();
    let write = |usage: String| format!("write `{usage}`");
    let meant = match (entry.name, shape) {
        ("embedded_metadata", _) => Some("write it on a field of type `ObjectMeta`".to_owned()),
        ("map_type", Shape::Struct) => Some("write `struct_type = \"atomic\"`".to_owned()),
        ("struct_type", Shape::Map(_)) => Some("write `map_type = \"atomic\"`".to_owned()),
        ("values", Shape::List(_)) => Some("write `items(..)`".to_owned()),
        ("items", Shape::Map(_)) => Some("write `values(..)`".to_owned()),
        (name, Shape::List(item)) if entry.applies.admits(item) => {
            let of_list =
                similar(name, "items").map(|bound| format!(", or `{bound}` for the list"));
            let of_list = of_list.unwrap_or_default();
            Some(format!(
                "write `items({usage})` for the items of the list{of_list}"
            ))
        }
        (_, Shape::Map(value)) if entry.applies.admits(value) => {
            Some(format!("write `values({usage})` for the values of the map"))
        }
        (name, Shape::String) => similar(name, "length").map(write),
        (name, Shape::List(_)) => similar(name, "items").map(write),
        (name, Shape::Map(_) | Shape::Struct) => similar(name, "properties").map(write),
        _ => None,
    };
    meant.unwrap_or_else(|| "remove it, or change the type".to_owned())
}

/// `min_items` on a string was meant to be `min_length`, and so on.
fn similar(name: &str, of_shape: &str) -> Option<String> {
    let bounds = ["length", "items", "properties"];
    let bound = bounds.iter().find_map(|of| name.strip_suffix(of))?;
    ["min_", "max_"]
        .contains(&bound)
        .then(|| format!("{bound}{of_shape} = 1"))
}
