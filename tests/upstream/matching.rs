//! Matching of expected members in an answer.
//!
//! An object lists the relevant members: `null` requires that a member is absent, `"*"` that it is
//! present, and `"!TEXT"` that it is another string. Lists must match completely.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

/// Replaces every string in a value.
pub(crate) fn replace(value: &mut Value, by: &dyn Fn(&str) -> String) {
    match value {
        Value::String(text) => *text = by(text),
        Value::Array(items) => items.iter_mut().for_each(|item| replace(item, by)),
        Value::Object(members) => {
            let old = std::mem::take(members);
            for (name, mut member) in old {
                replace(&mut member, by);
                members.insert(by(&name), member);
            }
        }
        _ => {}
    }
}

/// Replaces variable names by their values.
pub(crate) fn fill(text: &str, variables: &BTreeMap<String, String>) -> String {
    let mut filled = text.to_owned();
    // Longest names first, so that `$before` is not read as `$be` and a rest.
    let mut names: Vec<_> = variables.iter().collect();
    names.sort_by_key(|(name, _)| std::cmp::Reverse(name.len()));
    for (name, value) in names {
        filled = filled.replace(&format!("${name}"), value);
    }
    filled
}

/// Replaces values by their variable names.
pub(crate) fn name(text: &str, variables: &BTreeMap<String, String>) -> String {
    let mut named = text.to_owned();
    for (name, value) in variables {
        if *text == *value {
            return format!("${name}");
        }
        let is_long = value.len() > 8;
        if is_long {
            named = named.replace(value, &format!("${name}"));
        }
    }
    named
}

/// Collects the differences between the expected and the actual value.
pub(crate) fn compare(expected: &Value, found: &Value, path: &str, wrong: &mut Vec<String>) {
    let is_same = match (expected, found) {
        (Value::Object(members), Value::Object(others)) => {
            for (name, member) in members {
                let other = others.get(name).unwrap_or(&Value::Null);
                compare(member, other, &format!("{path}.{name}"), wrong);
            }
            true
        }
        (Value::Array(items), Value::Array(others)) if items.len() == others.len() => {
            for (at, (item, other)) in items.iter().zip(others).enumerate() {
                compare(item, other, &format!("{path}[{at}]"), wrong);
            }
            true
        }
        (Value::String(text), _) if text == "*" => !found.is_null(),
        (Value::String(text), Value::String(other)) if text.starts_with('!') => {
            text.get(1..) != Some(other.as_str())
        }
        _ => expected == found,
    };
    if !is_same {
        wrong.push(format!("{path}: {found} instead of {expected}"));
    }
}

/// The members of an answer that the expectation lists.
pub(crate) fn taken(expected: &Value, found: &Value) -> Value {
    match (expected, found) {
        (Value::Object(members), Value::Object(others)) => {
            let take = |(name, member): (&String, &Value)| {
                let other = others.get(name).unwrap_or(&Value::Null);
                (name.clone(), taken(member, other))
            };
            members.iter().map(take).collect::<Map<_, _>>().into()
        }
        (Value::Array(items), Value::Array(others)) => {
            let take = |(at, other): (usize, &Value)| match items.get(at).or(items.first()) {
                Some(item) => taken(item, other),
                None => other.clone(),
            };
            others.iter().enumerate().map(take).collect()
        }
        (Value::String(text), found) if text == "*" && !found.is_null() => expected.clone(),
        (Value::String(text), Value::String(_)) if text.starts_with('!') => expected.clone(),
        _ => found.clone(),
    }
}
