//! Expansion of `oneOf`, `anyOf` and `allOf` into plain schemas, one for each choice of branches.

use serde_json::{Map, Value, json};

/// Marks a schema for which a branch was chosen.
pub const CHOSEN: &str = "chosen";

const KEYWORDS: [&str; 4] = ["allOf", "anyOf", "oneOf", "not"];

/// Returns whether a schema has branches or `not`.
pub fn are_in(schema: &Value) -> bool {
    KEYWORDS.iter().any(|keyword| schema.get(keyword).is_some())
}

/// Returns the schema merged with each choice of its branches. `not` is ignored, and one of two
/// contradicting keywords wins, so the original schema rejects some of their values.
pub fn of(schema: &Value) -> Vec<Value> {
    let mut plain = schema.clone();
    let members = plain.as_object_mut().expect("a schema is an object");
    let logic = KEYWORDS.map(|keyword| members.remove(keyword));
    if logic.iter().any(Option::is_some) {
        members.insert(CHOSEN.to_owned(), json!(true));
    }
    let [all, any, one, _] = logic;
    let mut choices = vec![plain];
    for branch in branches(all.as_ref()) {
        choices = product(&choices, &of(branch));
    }
    for keyword in [any, one] {
        let either: Vec<_> = branches(keyword.as_ref()).iter().flat_map(of).collect();
        if !either.is_empty() {
            choices = product(&choices, &either);
        }
    }
    choices.retain(|choice| !is_empty(choice));
    choices
}

/// Returns whether no value matches, since branches exclude each other.
pub fn is_empty(schema: &Value) -> bool {
    let members = &schema["properties"];
    schema["enum"].as_array().is_some_and(Vec::is_empty)
        || schema["minimum"].as_f64() > schema["maximum"].as_f64().or(Some(f64::INFINITY))
        || branches(schema.get("required"))
            .iter()
            .filter_map(|name| members.get(name.as_str()?))
            .any(is_empty)
}

fn branches(keyword: Option<&Value>) -> &[Value] {
    keyword.and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

fn product(first: &[Value], second: &[Value]) -> Vec<Value> {
    let pairs = first
        .iter()
        .flat_map(|a| second.iter().map(move |b| (a, b)));
    pairs.map(|(a, b)| merged(a, b)).collect()
}

fn merged(a: &Value, b: &Value) -> Value {
    let (Value::Object(mut out), Value::Object(b)) = (a.clone(), b) else {
        return a.clone();
    };
    for (keyword, value) in b {
        let Some(present) = out.get(keyword).cloned() else {
            out.insert(keyword.clone(), value.clone());
            continue;
        };
        let value = match keyword.as_str() {
            "properties" => Value::Object(merged_members(&present, value)),
            "items" | "additionalProperties" => merged(&present, value),
            "required" => union(&present, value),
            "enum" => intersection(&present, value),
            "minimum" | "minLength" | "minItems" | "minProperties" => larger(present, value),
            "maximum" | "maxLength" | "maxItems" | "maxProperties" => smaller(present, value),
            "allOf" => union(&present, value),
            "anyOf" | "oneOf" | "not" => {
                let both = json!([{ keyword: value }]);
                let all = out
                    .get("allOf")
                    .map_or(both.clone(), |all| union(all, &both));
                out.insert("allOf".to_owned(), all);
                present
            }
            _ => present,
        };
        out.insert(keyword.clone(), value);
    }
    Value::Object(out)
}

fn merged_members(a: &Value, b: &Value) -> Map<String, Value> {
    let mut out = a.as_object().cloned().unwrap_or_default();
    for (name, member) in b.as_object().into_iter().flatten() {
        let both = out.get(name).map_or(member.clone(), |a| merged(a, member));
        out.insert(name.clone(), both);
    }
    out
}

fn union(a: &Value, b: &Value) -> Value {
    let (a, b) = (branches(Some(a)), branches(Some(b)));
    let more = b.iter().filter(|value| !a.contains(value));
    a.iter().chain(more).cloned().collect()
}

fn intersection(a: &Value, b: &Value) -> Value {
    let (a, b) = (branches(Some(a)), branches(Some(b)));
    a.iter()
        .filter(|value| b.contains(value))
        .cloned()
        .collect()
}

fn larger(a: Value, b: &Value) -> Value {
    if a.as_f64() < b.as_f64() {
        b.clone()
    } else {
        a
    }
}

fn smaller(a: Value, b: &Value) -> Value {
    if a.as_f64() > b.as_f64() {
        b.clone()
    } else {
        a
    }
}
