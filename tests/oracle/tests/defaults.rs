//! Defaulting of values, as the API server does it.

use serde_json::Value;

/// Returns the value with defaults for missing fields, and for nulls where the schema admits no
/// null.
pub fn filled(schema: &Value, mut value: Value) -> Value {
    fill(schema, &mut value);
    value
}

fn fill(schema: &Value, value: &mut Value) {
    match value {
        Value::Object(members) => {
            for (name, schema) in schema["properties"].as_object().into_iter().flatten() {
                if let Some(default) = schema.get("default") {
                    let is_null = members.get(name).is_some_and(Value::is_null);
                    if is_null && schema["nullable"] != true {
                        members.remove(name);
                    }
                    members
                        .entry(name.clone())
                        .or_insert_with(|| default.clone());
                }
            }
            for (name, value) in members {
                let known = schema["properties"].get(name);
                if let Some(schema) = known.or(schema.get("additionalProperties")) {
                    fill(schema, value);
                }
            }
        }
        Value::Array(items) => {
            for item in items {
                fill(&schema["items"], item);
            }
        }
        _ => {}
    }
}
