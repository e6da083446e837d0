//! Defaulting and removal of nulls.
//!
//! Follows `k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting`.

use serde_json::Value;

use crate::Schema;

/// Removes null members whose schema is not nullable and has no default
/// (`PruneNonNullableNullsWithoutDefaults`).
pub fn remove_nulls(schema: &Schema, value: &mut Value) {
    match value {
        Value::Object(members) => members.retain(|name, member| {
            let Some(schema) = schema.declared_member(name) else {
                return true;
            };
            let is_removed = member.is_null() && !schema.nullable && schema.default.is_none();
            remove_nulls(schema, member);
            !is_removed
        }),
        Value::Array(items) => {
            if let Some(schema) = &schema.items {
                for item in items {
                    remove_nulls(schema, item);
                }
            }
        }
        _ => {}
    }
}

/// Adds defaults for absent fields and for nulls whose schema is not nullable (`Default`).
pub fn fill_in_defaults(schema: &Schema, value: &mut Value) {
    match value {
        Value::Object(members) => {
            for (name, property) in &schema.properties {
                let Some(default) = &property.default else {
                    continue;
                };
                let is_missing = match members.get(name) {
                    Some(member) => member.is_null() && !property.nullable,
                    None => true,
                };
                if is_missing {
                    members.insert(name.clone(), default.clone());
                }
            }
            for (name, member) in members {
                match schema.properties.get(name) {
                    Some(property) => fill_in_defaults(property, member),
                    None => fill_in(schema.declared_member(name), member),
                }
            }
        }
        Value::Array(items) => {
            for item in items {
                fill_in(schema.items.as_deref(), item);
            }
        }
        _ => {}
    }
}

/// Fills in defaults for a value of a map or an item of a list.
fn fill_in(schema: Option<&Schema>, value: &mut Value) {
    let Some(schema) = schema else { return };
    if value.is_null()
        && !schema.nullable
        && let Some(default) = &schema.default
    {
        *value = default.clone();
    }
    fill_in_defaults(schema, value);
}
