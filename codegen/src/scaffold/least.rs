//! Minimal value of a schema: its required fields, each with the first value that the schema
//! allows.

use genclient_schema::values;
use serde_json::{Map, Value, json};

use crate::model::{JsonType, Schema};

/// The minimal value that the API server accepts; `None` if patterns, rules or branches prevent a
/// guess.
pub(super) fn value(schema: &Schema) -> Option<Value> {
    let least = drawn(schema)?;
    values::mistakes(schema, &least).is_empty().then_some(least)
}

fn drawn(schema: &Schema) -> Option<Value> {
    if !schema.validations.is_empty() {
        return None;
    }
    let named = [&schema.default, &schema.example].into_iter().flatten();
    if let Some(value) = named.chain(schema.enum_.first()).next() {
        return Some(value.clone());
    }
    Some(match schema.type_ {
        Some(JsonType::Object) => fields(schema)?,
        Some(JsonType::Array) => {
            let count = usize::try_from(schema.min_items.unwrap_or(0)).ok()?;
            let items = (0..count).map(|_| drawn(schema.items.as_deref()?));
            Value::Array(items.collect::<Option<_>>()?)
        }
        Some(JsonType::String) => {
            let length = usize::try_from(schema.min_length.unwrap_or(1)).ok()?;
            json!("a".repeat(length.max(1)))
        }
        Some(JsonType::Integer | JsonType::Number) => match &schema.minimum {
            Some(least) => Value::Number(least.clone()),
            None => json!(0),
        },
        Some(JsonType::Boolean) => json!(false),
        None if schema.int_or_string => json!(1),
        None => return None,
    })
}

fn fields(schema: &Schema) -> Option<Value> {
    let mut fields = Map::new();
    for name in &schema.required {
        fields.insert(name.clone(), drawn(schema.properties.get(name)?)?);
    }
    Some(fields.into())
}
