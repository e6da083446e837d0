//! Proptest strategies for the values that a structural schema admits.

mod branches;
mod numbers;
mod texts;

use proptest::collection::{btree_map, vec};
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;
use proptest::strategy::Union;
use serde_json::{Map, Value, json};

use crate::json_schema;

/// Maximum number of members in a list or map above its lower bound.
const MORE: u64 = 3;

/// Returns values of a schema, small and large ones. CEL rules are ignored.
pub fn of(schema: &Value) -> BoxedStrategy<Value> {
    let validator = json_schema::validator(schema);
    below(schema, 0)
        .prop_filter("is admitted", move |value| validator.is_valid(value))
        .boxed()
}

fn below(schema: &Value, depth: u32) -> BoxedStrategy<Value> {
    let values = if branches::are_in(schema) || narrows(schema) {
        let validator = json_schema::validator(schema);
        let plain = branches::of(schema);
        Union::new(plain.iter().map(|schema| plainly(schema, depth)))
            .prop_filter("is admitted", move |value| validator.is_valid(value))
            .boxed()
    } else {
        plainly(schema, depth)
    };
    if schema["nullable"] == true {
        prop_oneof![1 => Just(Value::Null), 6 => values].boxed()
    } else {
        values
    }
}

/// Returns whether the schema has a keyword that generated values may violate.
fn narrows(schema: &Value) -> bool {
    ["pattern", "minProperties", "maxProperties", "format"]
        .iter()
        .any(|keyword| schema.get(keyword).is_some())
}

/// Returns values of a schema, ignoring `oneOf`, `anyOf`, `allOf` and `not`.
fn plainly(schema: &Value, depth: u32) -> BoxedStrategy<Value> {
    if let Some(Value::Array(words)) = schema.get("enum") {
        return select(words.clone()).boxed();
    }
    if schema["x-kubernetes-int-or-string"] == true {
        let numbers = numbers::integers(&json!({ "format": "int32" }));
        return prop_oneof![numbers, texts::of(schema)].boxed();
    }
    match schema["type"].as_str() {
        Some("object") => object(schema, depth),
        Some("array") => list(schema, depth),
        Some("string") => texts::of(schema),
        Some("integer") => numbers::integers(schema),
        Some("number") => numbers::floats(schema),
        Some("boolean") => any::<bool>().prop_map(Value::from).boxed(),
        _ => anything(),
    }
}

fn object(schema: &Value, depth: u32) -> BoxedStrategy<Value> {
    let known = known_members(schema, depth);
    let others = match schema.get("additionalProperties") {
        Some(Value::Bool(false)) | None if schema[PRESERVE] != true => return known,
        None | Some(Value::Bool(_)) if schema.get("properties").is_some() => return known,
        None | Some(Value::Bool(_)) => map(schema, anything()),
        Some(values) => map(schema, below(values, depth + 1)),
    };
    (known, others)
        .prop_map(|(known, others)| {
            let (Value::Object(known), Value::Object(mut others)) = (known, others) else {
                unreachable!("both are objects")
            };
            others.extend(known);
            Value::Object(others)
        })
        .boxed()
}

const PRESERVE: &str = "x-kubernetes-preserve-unknown-fields";

/// Returns objects with all required properties and some of the others.
fn known_members(schema: &Value, depth: u32) -> BoxedStrategy<Value> {
    let required = schema["required"].as_array();
    let is_required = |name: &str| {
        required
            .into_iter()
            .flatten()
            .any(|required| required == name)
    };
    let mut members: Vec<BoxedStrategy<Option<(String, Value)>>> = Vec::new();
    let known = schema["properties"].as_object().into_iter().flatten();
    for (name, member) in known.filter(|(_, member)| !branches::is_empty(member)) {
        let (key, values) = (name.clone(), below(member, depth + 1));
        let named = values.prop_map(move |value| (key.clone(), value));
        members.push(if is_required(name) {
            named.prop_map(Some).boxed()
        } else {
            option::weighted(share(schema, depth), named).boxed()
        });
    }
    if schema["x-kubernetes-embedded-resource"] == true {
        members.extend(type_of_embedded());
    }
    members
        .prop_map(|members| Value::Object(members.into_iter().flatten().collect()))
        .boxed()
}

/// Probability of an optional property: low if branches exclude each other, or at a great depth.
fn share(schema: &Value, depth: u32) -> f64 {
    let excludes = schema.get(branches::CHOSEN).is_some();
    match depth {
        _ if excludes => 0.25,
        0..=2 => 0.7,
        3..=6 => 0.4,
        _ => 0.1,
    }
}

fn type_of_embedded() -> Vec<BoxedStrategy<Option<(String, Value)>>> {
    let members = [
        ("apiVersion", json!("example.com/v1")),
        ("kind", json!("Inner")),
        ("metadata", json!({ "name": "inner" })),
    ];
    members
        .map(|(name, value)| Just(Some((name.to_owned(), value))).boxed())
        .into()
}

fn map(schema: &Value, values: BoxedStrategy<Value>) -> BoxedStrategy<Value> {
    let least = schema["minProperties"].as_u64().unwrap_or(0);
    let most = schema["maxProperties"].as_u64().unwrap_or(u64::MAX);
    let size = length(least)..=length(most.min(least + MORE));
    btree_map("[a-z]{1,8}", values, size)
        .prop_map(|members| Value::Object(members.into_iter().collect()))
        .boxed()
}

fn list(schema: &Value, depth: u32) -> BoxedStrategy<Value> {
    let least = schema["minItems"].as_u64().unwrap_or(0);
    let most = schema["maxItems"].as_u64().unwrap_or(u64::MAX);
    let size = length(least)..=length(most.min(least + MORE));
    let items = vec(below(&schema["items"], depth + 1), size);
    let keys = keys(schema);
    let least = length(least);
    items
        .prop_map(move |items| unique(items, keys.as_ref()))
        .prop_filter("has enough items", move |items| items.len() >= least)
        .prop_map(Value::Array)
        .boxed()
}

/// Properties that identify an item, with their defaults. Empty if the whole item must be unique;
/// `None` if items may be equal.
type Keys = Option<Map<String, Value>>;

fn keys(schema: &Value) -> Keys {
    let default = |key: &Value| {
        let name = key.as_str().unwrap_or_default();
        let default = &schema["items"]["properties"][name]["default"];
        (name.to_owned(), default.clone())
    };
    match schema["x-kubernetes-list-type"].as_str() {
        Some("set") => Some(Map::new()),
        Some("map") => {
            let keys = schema["x-kubernetes-list-map-keys"].as_array();
            Some(keys.into_iter().flatten().map(default).collect())
        }
        _ => None,
    }
}

fn unique(mut items: Vec<Value>, keys: Option<&Map<String, Value>>) -> Vec<Value> {
    let Some(keys) = keys else {
        return items;
    };
    let mut seen: Vec<Value> = Vec::new();
    items.retain(|item| {
        let of = |(name, default): (&String, &Value)| item.get(name).unwrap_or(default).clone();
        let key = if keys.is_empty() {
            item.clone()
        } else {
            keys.iter().map(of).collect()
        };
        let is_new = !seen.contains(&key);
        seen.push(key);
        is_new
    });
    items
}

/// Returns arbitrary JSON values.
fn anything() -> BoxedStrategy<Value> {
    let leaf = prop_oneof![
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        "[a-z]{0,4}".prop_map(Value::from),
    ];
    leaf.prop_recursive(2, 8, 3, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..3).prop_map(Value::from),
            btree_map("[a-z]{1,3}", inner, 0..3)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
    .boxed()
}

fn length(number: u64) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}
