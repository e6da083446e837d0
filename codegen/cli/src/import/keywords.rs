//! Removal of schema keywords that the API server ignores, or that no Rust type expresses.

use genclient_apimachinery::strfmt;
use genclient_schema::{JsonType, Keyword, formats};
use serde_json::{Map, Value, json};

use super::losses::{Note, add_note};

/// Keywords whose value is a list of schemas.
const SCHEMA_LIST_KEYWORDS: [&str; 3] = ["allOf", "anyOf", "oneOf"];
/// Keywords whose schemas constrain a value that is declared outside of them.
const APPLICATOR_KEYWORDS: [&str; 4] = ["allOf", "anyOf", "oneOf", "not"];

const INT_OR_STRING: &str = "x-kubernetes-int-or-string";
const PRESERVE_UNKNOWN_FIELDS: &str = "x-kubernetes-preserve-unknown-fields";

/// Removes such keywords from a schema and its nested schemas, with a note for each loss.
pub(super) fn clean_schema(schema: &mut Value, path: &str, notes: &mut Vec<Note>) {
    let Value::Object(members) = schema else {
        return;
    };
    // The API server replaces the type of such a schema (`ConvertJSONSchemaPropsWithPostProcess`).
    let is_int_or_string = members
        .get(INT_OR_STRING)
        .is_some_and(|value| *value == true);
    if is_int_or_string && members.remove("type").is_some() {
        let text = format!("`type`: it has no effect beside `{INT_OR_STRING}`; dropped");
        add_note(notes, path, text);
    }
    let type_ = members
        .get("type")
        .and_then(Value::as_str)
        .map(str::to_owned);
    clean_members(members, type_.as_deref(), path, notes);
    clean_values(members, path, notes);
    if type_.as_deref() == Some("array") {
        move_to_items(members, path, notes);
    }
    for (key, step) in [("items", "[]"), ("additionalProperties", ".*")] {
        if let Some(nested) = members.get_mut(key) {
            clean_schema(nested, &format!("{path}{step}"), notes);
        }
    }
    let properties = members.get_mut("properties").and_then(Value::as_object_mut);
    for (name, property) in properties.into_iter().flatten() {
        clean_schema(property, &format!("{path}.{name}"), notes);
    }
    let mut branches = Map::new();
    for key in APPLICATOR_KEYWORDS {
        branches.extend(members.remove_entry(key));
    }
    clean_branches(&mut branches, members, path, notes);
    members.extend(branches);
}

/// Cleans the schemas in `allOf`, `anyOf`, `oneOf` and `not`. They have no types: `declared` is the
/// schema outside of them that describes the same value.
fn clean_branches(
    members: &mut Map<String, Value>,
    declared: &Map<String, Value>,
    path: &str,
    notes: &mut Vec<Note>,
) {
    for key in SCHEMA_LIST_KEYWORDS {
        let Some(schemas) = members.get_mut(key).and_then(Value::as_array_mut) else {
            continue;
        };
        for branch in schemas.iter_mut() {
            clean_branch(branch, declared, path, notes);
        }
        // A value that matches one of two equal schemas in `oneOf` matches both, and is refused.
        if key != "oneOf" && keep_first_of_each(schemas) {
            let text = format!("`{key}`: a schema occurs twice; the second one is dropped");
            add_note(notes, path, text);
        }
    }
    if let Some(branch) = members.get_mut("not") {
        clean_branch(branch, declared, path, notes);
    }
}

fn clean_branch(
    branch: &mut Value,
    declared: &Map<String, Value>,
    path: &str,
    notes: &mut Vec<Note>,
) {
    let Value::Object(members) = branch else {
        return;
    };
    let type_ = declared.get("type").and_then(Value::as_str);
    clean_members(members, type_, path, notes);
    let nothing = Map::new();
    if let Some(items) = members.get_mut("items") {
        let outside = declared.get("items").and_then(Value::as_object);
        clean_branch(
            items,
            outside.unwrap_or(&nothing),
            &format!("{path}[]"),
            notes,
        );
    }
    let properties = members.get_mut("properties").and_then(Value::as_object_mut);
    for (name, property) in properties.into_iter().flatten() {
        let outside = declared
            .get("properties")
            .and_then(|all| all.get(name))
            .or_else(|| declared.get("additionalProperties"))
            .and_then(Value::as_object);
        clean_branch(
            property,
            outside.unwrap_or(&nothing),
            &format!("{path}.{name}"),
            notes,
        );
    }
    clean_branches(members, declared, path, notes);
}

/// Removes keywords that the API server does not know, or that have no effect beside the type.
fn clean_members(
    members: &mut Map<String, Value>,
    type_: Option<&str>,
    path: &str,
    notes: &mut Vec<Note>,
) {
    members.retain(|key, value| {
        is_kept(key, value, path, notes)
            && is_of_type(key, type_, path, notes)
            && (key != "format" || is_known_format(value, type_, path, notes))
    });
}

fn is_of_type(key: &str, type_: Option<&str>, path: &str, notes: &mut Vec<Note>) -> bool {
    let Some((name, type_)) = type_.and_then(|name| Some((name, json_type(name)?))) else {
        return true;
    };
    if !type_.has_keyword(key) {
        let text = format!("`{key}`: it has no effect beside `type: {name}`; dropped");
        add_note(notes, path, text);
    }
    type_.has_keyword(key)
}

fn is_known_format(format: &Value, type_: Option<&str>, path: &str, notes: &mut Vec<Note>) -> bool {
    let Some(format) = format.as_str() else {
        return true;
    };
    if formats::is_supported(format, type_.and_then(json_type)) {
        return true;
    }
    let beside = match type_ {
        Some(type_) if strfmt::KNOWN.contains(&format) => format!(" beside `type: {type_}`"),
        _ => String::new(),
    };
    let text = format!("`format: {format}`: the API server does not know it{beside}; dropped");
    add_note(notes, path, text);
    false
}

fn json_type(name: &str) -> Option<JsonType> {
    serde_json::from_value(name.into()).ok()
}

/// Moves `x-kubernetes-preserve-unknown-fields` of a list to its items, where it means the same:
/// `skipPrune` of a list skips each item (`algorithm.go` of the API server's `pruning`).
fn move_to_items(members: &mut Map<String, Value>, path: &str, notes: &mut Vec<Note>) {
    let Some(preserves) = members
        .remove(PRESERVE_UNKNOWN_FIELDS)
        .filter(|value| *value == true)
    else {
        return;
    };
    let items = members.get_mut("items").and_then(Value::as_object_mut);
    let has_fields = |items: &Map<String, Value>| {
        matches!(
            items.get("type").and_then(Value::as_str),
            Some("object" | "array")
        )
    };
    let text = match items.filter(|items| has_fields(items)) {
        Some(items) => {
            items.insert(PRESERVE_UNKNOWN_FIELDS.to_owned(), preserves);
            "moved to the items, where it means the same,"
        }
        None => "it has no effect on a list whose items have no fields; dropped",
    };
    add_note(notes, path, format!("`{PRESERVE_UNKNOWN_FIELDS}`: {text}"));
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
    if key == "uniqueItems" {
        if *value == true {
            add_note(
                notes,
                path,
                "`uniqueItems`: the API server refuses it; dropped".to_owned(),
            );
        }
        return false;
    }
    if Keyword::from_name(key).is_none() {
        add_note(
            notes,
            path,
            format!("`{key}`: the API server does not know it; dropped"),
        );
        return false;
    }
    // The API server omits these values when it stores a definition: they are `omitempty` in
    // `JSONSchemaProps`. `default` and `example` hold any JSON value.
    let is_empty = match value {
        Value::Array(items) => items.is_empty(),
        Value::Object(members) => members.is_empty() && key == "properties",
        Value::String(text) => text.is_empty() && key != "default" && key != "example",
        other => other.is_null(),
    };
    !is_empty || matches!(key, "default" | "example") && !value.is_null()
}

/// Replaces or removes a boolean `additionalProperties`. Removes `externalDocs` that is not an
/// object.
fn clean_values(members: &mut Map<String, Value>, path: &str, notes: &mut Vec<Note>) {
    let has_properties = members.contains_key("properties");
    match members.get("additionalProperties") {
        Some(Value::Bool(true)) if has_properties => {
            let text =
                format!("`additionalProperties: true`: replaced by `{PRESERVE_UNKNOWN_FIELDS}`");
            add_note(notes, path, text);
            members.remove("additionalProperties");
            members.insert(PRESERVE_UNKNOWN_FIELDS.to_owned(), true.into());
        }
        Some(Value::Bool(true)) => {
            let text = "`additionalProperties: true`: replaced by a map whose values preserve unknown fields";
            add_note(notes, path, text.to_owned());
            let any = json!({ "x-kubernetes-preserve-unknown-fields": true });
            members.insert("additionalProperties".to_owned(), any);
        }
        Some(Value::Bool(false)) => {
            let text =
                "`additionalProperties: false`: unknown fields are pruned in any case; dropped";
            add_note(notes, path, text.to_owned());
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
