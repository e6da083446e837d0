//! Lists whose items are told apart by keys.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

/// Makes plain lists of those whose items may lack a key: the API server has such lists, and forbids them in a CRD.
pub(super) fn drop_loose(definitions: &mut BTreeMap<String, Value>) {
    let mut certain = BTreeMap::new();
    for (name, schema) in &*definitions {
        certain.insert(name.clone(), always_there(schema));
    }
    for schema in definitions.values_mut() {
        each(schema, &|schema| {
            if is_loose(schema, &certain) {
                schema["x-kubernetes-list-type"] = "atomic".into();
                if let Value::Object(schema) = schema {
                    schema.remove("x-kubernetes-list-map-keys");
                }
            }
        });
    }
}

fn each(schema: &mut Value, change: &impl Fn(&mut Value)) {
    change(schema);
    let Value::Object(members) = schema else {
        return;
    };
    for (key, member) in members {
        match (key.as_str(), member) {
            ("properties", Value::Object(properties)) => {
                properties
                    .values_mut()
                    .for_each(|property| each(property, change));
            }
            ("items" | "additionalProperties", member) => each(member, change),
            _ => {}
        }
    }
}

fn is_loose(schema: &Value, certain: &BTreeMap<String, BTreeSet<String>>) -> bool {
    let item = schema["items"]["$ref"].as_str();
    let mut keys = strings(&schema["x-kubernetes-list-map-keys"]);
    item.and_then(|item| certain.get(item))
        .is_some_and(|certain| keys.any(|key| !certain.contains(key)))
}

/// The properties that are required or have a default.
fn always_there(schema: &Value) -> BTreeSet<String> {
    let properties = schema["properties"].as_object().into_iter().flatten();
    let defaulted = properties.filter(|(_, property)| property.get("default").is_some());
    defaulted
        .map(|(name, _)| name.as_str())
        .chain(strings(&schema["required"]))
        .map(str::to_owned)
        .collect()
}

fn strings(list: &Value) -> impl Iterator<Item = &str> {
    list.as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
}
