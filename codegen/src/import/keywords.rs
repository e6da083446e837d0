//! Removal of schema keywords that the API server ignores, or that no Rust type expresses.

use genclient_schema::formats;
use serde_json::{Map, Value, json};

use super::losses::{Note, note};

/// Keywords whose value is a schema.
const SCHEMA: [&str; 3] = ["items", "additionalProperties", "not"];
/// Keywords whose value is a list of schemas.
const SCHEMAS: [&str; 3] = ["allOf", "anyOf", "oneOf"];

const PRESERVE: &str = "x-kubernetes-preserve-unknown-fields";

/// All other keywords of a CRD's schemas.
const PLAIN: [&str; 31] = [
    "default",
    "description",
    "enum",
    "example",
    "exclusiveMaximum",
    "exclusiveMinimum",
    "externalDocs",
    "format",
    "maxItems",
    "maxLength",
    "maxProperties",
    "maximum",
    "minItems",
    "minLength",
    "minProperties",
    "minimum",
    "multipleOf",
    "nullable",
    "pattern",
    "required",
    "title",
    "type",
    "x-kubernetes-embedded-resource",
    "x-kubernetes-int-or-string",
    "x-kubernetes-list-map-keys",
    "x-kubernetes-list-type",
    "x-kubernetes-map-type",
    "x-kubernetes-preserve-unknown-fields",
    "x-kubernetes-validations",
    "properties",
    "uniqueItems",
];

/// Removes such keywords from a schema and its nested schemas, with a note for each loss.
pub(super) fn clean(schema: &mut Value, path: &str, notes: &mut Vec<Note>) {
    let Value::Object(members) = schema else {
        return;
    };
    members.retain(|key, value| is_kept(key, value, path, notes));
    clean_values(members, path, notes);
    for key in SCHEMA {
        if let Some(nested) = members.get_mut(key) {
            let path = match key {
                "items" => format!("{path}[]"),
                "additionalProperties" => format!("{path}.*"),
                _ => path.to_owned(),
            };
            clean(nested, &path, notes);
        }
    }
    for key in SCHEMAS {
        let Some(schemas) = members.get_mut(key).and_then(Value::as_array_mut) else {
            continue;
        };
        for nested in schemas.iter_mut() {
            clean(nested, path, notes);
        }
        if key != "oneOf" && keep_first_of_each(schemas) {
            let text = format!("`{key}`: a schema occurs twice; the second one is dropped");
            note(notes, path, text);
        }
    }
    let properties = members.get_mut("properties").and_then(Value::as_object_mut);
    for (name, property) in properties.into_iter().flatten() {
        clean(property, &format!("{path}.{name}"), notes);
    }
}

/// Removes duplicate values from a list. Returns true if there were any.
fn keep_first_of_each(values: &mut Vec<Value>) -> bool {
    let mut kept: Vec<Value> = Vec::new();
    let count = values.len();
    for value in values.drain(..) {
        if !kept.contains(&value) {
            kept.push(value);
        }
    }
    *values = kept;
    values.len() < count
}

fn is_kept(key: &str, value: &Value, path: &str, notes: &mut Vec<Note>) -> bool {
    let is_known = PLAIN.contains(&key) || SCHEMA.contains(&key) || SCHEMAS.contains(&key);
    if !is_known {
        note(
            notes,
            path,
            format!("`{key}`: the API server does not know it; dropped"),
        );
        return false;
    }
    if key == "format"
        && let Some(format) = value.as_str().filter(|format| !format.is_empty())
        && !formats::KNOWN.contains(&format)
    {
        let text = format!("`format: {format}`: the API server does not know the format; dropped");
        note(notes, path, text);
        return false;
    }
    if key == "uniqueItems" {
        if *value == true {
            note(
                notes,
                path,
                "`uniqueItems`: the API server refuses it; dropped".to_owned(),
            );
        }
        return false;
    }
    let is_empty = match value {
        Value::Array(items) => items.is_empty(),
        Value::Object(members) => members.is_empty() && key == "properties",
        Value::String(text) => text.is_empty() && key != "default" && key != "example",
        other => other.is_null(),
    };
    !is_empty || matches!(key, "default" | "example") && !value.is_null()
}

/// Replaces or removes a boolean `additionalProperties`. Removes keywords that do not apply to the
/// type, and `externalDocs` that is not an object.
fn clean_values(members: &mut Map<String, Value>, path: &str, notes: &mut Vec<Note>) {
    let is_object = members.get("type").is_none_or(|type_| type_ == "object");
    if !is_object && members.remove(PRESERVE).is_some() {
        let text =
            format!("`{PRESERVE}`: it has no effect on a schema that is not an object; dropped");
        note(notes, path, text);
    }
    let is_list = members.get("type").is_none_or(|type_| type_ == "array");
    if !is_list && members.remove("items").is_some() {
        let text = "`items`: it has no effect on a schema that is not a list; dropped";
        note(notes, path, text.to_owned());
    }
    match members.get("additionalProperties") {
        Some(Value::Bool(true)) => {
            let text = "`additionalProperties: true`: replaced by a map whose values preserve unknown fields";
            note(notes, path, text.to_owned());
            let any = json!({ "x-kubernetes-preserve-unknown-fields": true });
            members.insert("additionalProperties".to_owned(), any);
        }
        Some(Value::Bool(false)) => {
            let text =
                "`additionalProperties: false`: unknown fields are pruned in any case; dropped";
            note(notes, path, text.to_owned());
            members.remove("additionalProperties");
        }
        _ => {}
    }
    if members
        .get("externalDocs")
        .is_some_and(|docs| !docs.is_object())
    {
        members.remove("externalDocs");
    }
}
