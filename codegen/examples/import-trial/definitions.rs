//! Normalized CRDs, and the differences between two of them.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};

use crate::Result;

/// The differences between two values, by path.
pub(crate) fn compare(
    path: &str,
    one: &Value,
    other: &Value,
    found: &mut Vec<(String, Value, Value)>,
) {
    match (one, other) {
        (Value::Object(one), Value::Object(other)) => {
            let names: BTreeSet<_> = one.keys().chain(other.keys()).collect();
            for name in names {
                let get =
                    |members: &Map<String, Value>| members.get(name).cloned().unwrap_or_default();
                compare(&format!("{path}.{name}"), &get(one), &get(other), found);
            }
        }
        (Value::Array(one), Value::Array(other)) if one.len() == other.len() => {
            for (at, (one, other)) in one.iter().zip(other).enumerate() {
                compare(&format!("{path}[{at}]"), one, other, found);
            }
        }
        (Value::Number(one), Value::Number(other)) if one.as_f64() == other.as_f64() => {}
        _ if one == other => {}
        _ => found.push((path.to_owned(), one.clone(), other.clone())),
    }
}

/// The normalized CRDs in a text, by name.
pub(crate) fn definitions(text: &str) -> Result<BTreeMap<String, Value>> {
    let mut found = BTreeMap::new();
    for document in yaml_serde::Deserializer::from_str(text) {
        let document: Value = serde::Deserialize::deserialize(document)?;
        if document["kind"] == "CustomResourceDefinition" {
            let definition = normalize_crd(&document);
            found.insert(
                document["metadata"]["name"]
                    .as_str()
                    .unwrap_or_default()
                    .to_owned(),
                definition,
            );
        }
    }
    Ok(found)
}

/// A normalized CRD, without API server defaults and empty parts.
fn normalize_crd(document: &Value) -> Value {
    let mut spec = document["spec"].clone();
    let kind = spec["names"]["kind"]
        .as_str()
        .unwrap_or_default()
        .to_owned();
    if spec["names"]["listKind"] == format!("{kind}List") {
        spec["names"]["listKind"] = json!(null);
    }
    if spec["names"]["singular"] == kind.to_lowercase() {
        spec["names"]["singular"] = json!(null);
    }
    if spec["conversion"]["strategy"] != "Webhook" {
        spec["conversion"] = json!(null);
    }
    let service = &mut spec["conversion"]["webhook"]["clientConfig"]["service"];
    if service["path"] == "/" {
        service["path"] = json!(null);
    }
    spec["preserveUnknownFields"] = json!(null);
    let mut versions = Map::new();
    for version in spec["versions"].as_array().into_iter().flatten() {
        let mut version = version.clone();
        let nothing = json!({});
        let status = version["subresources"]["status"] == nothing;
        let schema = &mut version["schema"]["openAPIV3Schema"];
        unify_spelling(schema);
        drop_type_meta_docs(schema);
        let mut version = drop_empty_members(&version);
        if status {
            version["subresources"]["status"] = json!("a subresource");
        }
        versions.insert(
            version["name"].as_str().unwrap_or_default().to_owned(),
            version,
        );
    }
    spec["versions"] = Value::Object(versions);
    let mut annotations = document["metadata"]["annotations"].clone();
    if let Some(annotations) = annotations.as_object_mut() {
        annotations.remove("kubectl.kubernetes.io/last-applied-configuration");
    }
    let labels = &document["metadata"]["labels"];
    drop_empty_members(&json!({ "annotations": annotations, "labels": labels, "spec": spec }))
}

/// Drops the descriptions and types of `apiVersion`, `kind` and `metadata`, which every object has
/// and genclient describes in its own words.
fn drop_type_meta_docs(schema: &mut Value) {
    for name in ["apiVersion", "kind", "metadata"] {
        schema["properties"][name]["description"] = json!(null);
        schema["properties"][name]["type"] = json!(null);
    }
    if let Some(required) = schema["required"].as_array_mut() {
        required.retain(|name| name != "apiVersion" && name != "kind");
    }
}

fn unify_spelling(schema: &mut Value) {
    let Some(members) = schema.as_object_mut() else {
        return;
    };
    members.retain(|name, value| {
        let unset = value.is_null() || *value == false && name != "default" && name != "example";
        !(unset || name == "description" && value == "")
    });
    if let Some(Value::String(text)) = members.get_mut("description") {
        let lines: Vec<_> = text.lines().map(str::trim_end).collect();
        *text = lines.join("\n").trim().to_owned();
    }
    if let Some(Value::Array(required)) = members.get_mut("required") {
        required.sort_by_key(Value::to_string);
    }
    for name in ["items", "additionalProperties", "not"] {
        members.get_mut(name).map(unify_spelling);
    }
    for name in ["allOf", "anyOf", "oneOf"] {
        let schemas = members.get_mut(name).and_then(Value::as_array_mut);
        schemas.into_iter().flatten().for_each(unify_spelling);
    }
    let properties = members.get_mut("properties").and_then(Value::as_object_mut);
    for (_, property) in properties.into_iter().flatten() {
        unify_spelling(property);
    }
}

/// A value without members that are null, false or empty. The values of `default` and `example` are
/// kept in any case.
fn drop_empty_members(value: &Value) -> Value {
    match value {
        Value::Object(members) => {
            let kept = members.iter().filter_map(|(name, value)| {
                if matches!(name.as_str(), "default" | "example") {
                    return Some((name.clone(), value.clone()));
                }
                let value = drop_empty_members(value);
                let empty = match &value {
                    Value::Null | Value::Bool(false) => true,
                    Value::Array(items) => items.is_empty(),
                    Value::Object(members) => members.is_empty(),
                    Value::String(text) => text.is_empty(),
                    Value::Number(number) => name == "priority" && number.as_i64() == Some(0),
                    Value::Bool(true) => false,
                };
                (!empty).then_some((name.clone(), value))
            });
            Value::Object(kept.collect())
        }
        Value::Array(items) => items.iter().map(drop_empty_members).collect(),
        other => other.clone(),
    }
}
