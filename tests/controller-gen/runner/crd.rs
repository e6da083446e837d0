//! CRDs as JSON, in the form in which they are compared.

use std::fs;
use std::path::Path;

use libtest_mimic::Failed;
use serde_json::{Map, Value};

/// What controller-gen makes of a fixture.
///
/// A schema that is used in several places is in `definitions`, and each place has
/// `{ "$ref": "its name" }`.
pub fn facts(file: &Path) -> Result<Value, Failed> {
    let mut crd: Value = serde_json::from_str(&fs::read_to_string(file)?)?;
    let definitions = match crd
        .as_object_mut()
        .and_then(|crd| crd.remove("definitions"))
    {
        Some(Value::Object(definitions)) => definitions,
        _ => Map::new(),
    };
    Ok(keyed(resolved(crd, &definitions), ""))
}

fn resolved(value: Value, definitions: &Map<String, Value>) -> Value {
    if let Some(name) = value.get("$ref").and_then(Value::as_str) {
        return resolved(definitions[name].clone(), definitions);
    }
    match value {
        Value::Object(members) => members
            .into_iter()
            .map(|(name, value)| (name, resolved(value, definitions)))
            .collect(),
        Value::Array(items) => items
            .into_iter()
            .map(|item| resolved(item, definitions))
            .collect(),
        other => other,
    }
}

/// The one CRD that a golden case expects.
pub fn generated(case: &Path) -> Result<Value, Failed> {
    let dir = case.join("expected/config/crd");
    let files: Vec<_> = fs::read_dir(&dir)?.flatten().collect();
    let [file] = files.as_slice() else {
        return Err(format!("{} has {} files", dir.display(), files.len()).into());
    };
    let crd: Value = serde_saphyr::from_str(&fs::read_to_string(file.path())?)?;
    let parts = ["metadata", "spec"];
    Ok(keyed(
        parts
            .map(|part| (part.to_owned(), crd[part].clone()))
            .into_iter()
            .collect(),
        "",
    ))
}

/// The same without descriptions, and with names instead of positions where the order has no
/// meaning.
fn keyed(value: Value, name: &str) -> Value {
    match value {
        Value::Object(mut members) => {
            if name != "externalDocs" && members.get("description").is_some_and(Value::is_string) {
                members.remove("description");
            }
            members
                .into_iter()
                .map(|(name, value)| (name.clone(), keyed(value, &name)))
                .collect()
        }
        Value::Array(items) if name == "required" => items
            .into_iter()
            .map(|item| (text(&item), Value::Bool(true)))
            .collect(),
        Value::Array(items) if name == "versions" => items
            .into_iter()
            .map(|item| (text(&item["name"]), keyed(item, "")))
            .collect(),
        Value::Array(items) => items.into_iter().map(|item| keyed(item, "")).collect(),
        other => other,
    }
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}
