//! Reduction of a published schema to the parts that a CRD can use.

use serde_json::{Map, Value, json};

/// Merge patch keys and names of kinds, which do not concern a CRD and are not allowed in a
/// structural schema.
const DROPPED: [&str; 4] = [
    "x-kubernetes-group-version-kind",
    "x-kubernetes-patch-merge-key",
    "x-kubernetes-patch-strategy",
    "x-kubernetes-unions",
];

/// Keys that are copied unchanged.
const KEPT: [&str; 9] = [
    "description",
    "enum",
    "format",
    "oneOf",
    "required",
    "type",
    "x-kubernetes-list-map-keys",
    "x-kubernetes-map-type",
    "default",
];

/// The position of a schema.
#[derive(Clone, Copy, PartialEq)]
enum Place {
    /// A property that may be absent, or a definition.
    Optional,
    /// A required property, a list item or a map value, which is always present.
    Present,
}

/// The reduced schema of a definition; the error is an unknown form.
pub(super) fn schema(published: &Value) -> Result<Value, String> {
    let mut schema = compact(published, Place::Optional)?;
    schema.sort_all_objects();
    Ok(schema)
}

fn compact(published: &Value, place: Place) -> Result<Value, String> {
    let mut out = Map::new();
    for (key, value) in published.as_object().into_iter().flatten() {
        match key.as_str() {
            "default" if is_made_up(value, place) => {}
            "allOf" => {
                out.insert("$ref".to_owned(), only_reference(value)?);
            }
            "$ref" => {
                out.insert("$ref".to_owned(), reference(value)?);
            }
            "properties" => {
                let properties = properties(value, &published["required"])?;
                out.insert("properties".to_owned(), properties);
            }
            "items" | "additionalProperties" => {
                out.insert(key.clone(), compact(value, Place::Present)?);
            }
            "x-kubernetes-list-type" if published["type"] == "array" => {
                out.insert(key.clone(), value.clone());
            }
            kept if KEPT.contains(&kept) => {
                out.insert(key.clone(), value.clone());
            }
            dropped if DROPPED.contains(&dropped) => {}
            // Bytes are a list in Go, but a string in JSON.
            "x-kubernetes-list-type" => {}
            _ => return Err(format!("`{key}`: {value}")),
        }
    }
    Ok(Value::Object(out))
}

fn properties(published: &Value, required: &Value) -> Result<Value, String> {
    let required = required.as_array().map_or(&[][..], Vec::as_slice);
    let mut out = Map::new();
    for (name, property) in published.as_object().into_iter().flatten() {
        let place = if required.iter().any(|required| required == name) {
            Place::Present
        } else {
            Place::Optional
        };
        out.insert(name.clone(), compact(property, place)?);
    }
    Ok(Value::Object(out))
}

/// True if the default is only Go's zero value, not a promise of the API. In a CRD it would hide
/// that a required field is missing.
fn is_made_up(default: &Value, place: Place) -> bool {
    let zero = [json!(""), json!(0), json!(false)].contains(default);
    *default == json!({}) || (zero && place == Place::Present)
}

/// A reference with a description of its own is wrapped in `allOf`.
fn only_reference(all_of: &Value) -> Result<Value, String> {
    match all_of.as_array().map(Vec::as_slice) {
        Some([Value::Object(only)]) if only.len() == 1 && only.contains_key("$ref") => {
            reference(&only["$ref"])
        }
        _ => Err(format!("`allOf`: {all_of}")),
    }
}

fn reference(path: &Value) -> Result<Value, String> {
    let name = path.as_str().and_then(|path| path.rsplit('/').next());
    name.map(|name| json!(name))
        .ok_or_else(|| format!("`$ref`: {path}"))
}
