//! Access to fields in `metadata` of a JSON object.

use serde_json::{Map, Value};

/// Returns a string field of `metadata`, or an empty string if it is absent.
pub(crate) fn str_field<'a>(object: &'a Value, field: &str) -> &'a str {
    object["metadata"][field].as_str().unwrap_or_default()
}

/// Sets a field of `metadata`, or removes it if `value` is `None`.
pub(crate) fn set_field(object: &mut Value, field: &str, value: Option<Value>) {
    if !object["metadata"].is_object() {
        object["metadata"] = Value::Object(Map::new());
    }
    if let Some(metadata) = object["metadata"].as_object_mut() {
        match value {
            Some(value) => metadata.insert(field.to_owned(), value),
            None => metadata.remove(field),
        };
    }
}

/// Increments `generation`. Objects without a generation, such as ConfigMaps, stay without.
pub(crate) fn increment_generation(object: &mut Value) {
    let generation = object["metadata"]["generation"]
        .as_i64()
        .unwrap_or_default();
    if generation > 0 {
        set_field(object, "generation", Some((generation + 1).into()));
    }
}

pub(crate) fn finalizers(object: &Value) -> Vec<&str> {
    let finalizers = object["metadata"]["finalizers"].as_array();
    finalizers
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect()
}
