//! First difference between two objects of one version: the path of a field and its two values.

use serde_json::Value;

#[derive(Debug, PartialEq)]
pub(super) struct Difference {
    /// Path of the field, such as `.spec.days`.
    pub(super) path: String,
    pub(super) before: Value,
    pub(super) after: Value,
}

/// Returns the first difference between two objects. Of the metadata, only labels and annotations
/// are compared, since a conversion cannot change the rest. Null equals absent, and so do empty
/// labels and annotations. The order of items is ignored in lists that `schema` declares as sets.
pub(super) fn find_difference(before: &Value, after: &Value, schema: &Value) -> Option<Difference> {
    let metadata = ["labels", "annotations"].into_iter().find_map(|field| {
        let values = [before, after].map(|object| &object["metadata"][field]);
        find_value_difference(
            values[0],
            values[1],
            &Value::Null,
            format!(".metadata.{field}"),
        )
    });
    let rest = |object: &Value| {
        let mut object = object.clone();
        object["metadata"].take();
        object
    };
    metadata.or_else(|| find_value_difference(&rest(before), &rest(after), schema, String::new()))
}

fn find_value_difference(
    before: &Value,
    after: &Value,
    schema: &Value,
    path: String,
) -> Option<Difference> {
    match (before, after) {
        (Value::Object(left), Value::Object(right)) => {
            let names = left.keys().chain(right.keys());
            names.into_iter().find_map(|name| {
                let inner = match &schema["properties"][name] {
                    Value::Null => &schema["additionalProperties"],
                    property => property,
                };
                find_value_difference(&before[name], &after[name], inner, format!("{path}.{name}"))
            })
        }
        (Value::Object(fields), Value::Null) | (Value::Null, Value::Object(fields))
            if fields.is_empty() && path.starts_with(".metadata.") =>
        {
            None
        }
        (Value::Array(left), Value::Array(right)) if left.len() == right.len() => {
            if schema["x-kubernetes-list-type"] == "set"
                && left.iter().all(|one| right.contains(one))
            {
                return None;
            }
            let mut pairs = left.iter().zip(right).enumerate();
            pairs.find_map(|(at, (left, right))| {
                find_value_difference(left, right, &schema["items"], format!("{path}[{at}]"))
            })
        }
        _ if before == after => None,
        _ => Some(Difference {
            path,
            before: before.clone(),
            after: after.clone(),
        }),
    }
}
