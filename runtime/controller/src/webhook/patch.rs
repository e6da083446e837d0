//! Changes of a typed object, carried over to the JSON that the object was read from.
//!
//! A type may not know every field of an object: a newer version of the CRD has more, or a client
//! of Kubernetes' own types is older than the API server. Fields unknown to the type stay.

use std::collections::VecDeque;

use serde_json::{Map, Value};

/// Returns `raw` with the changes that lead from `before` to `after`, both what a type makes of
/// `raw`. What does not differ between them is left as it is in `raw`, absent or unknown to the
/// type.
pub(super) fn carry_over(raw: Value, before: &Value, after: &Value) -> Value {
    if before == after {
        return raw;
    }
    match (raw, before, after) {
        (Value::Object(raw), Value::Object(before), Value::Object(after)) => {
            Value::Object(fields(raw, before, after))
        }
        (Value::Array(raw), Value::Array(before), Value::Array(after))
            if raw.len() == before.len() =>
        {
            Value::Array(items(raw, before, after))
        }
        (_, _, after) => after.clone(),
    }
}

fn fields(
    mut raw: Map<String, Value>,
    before: &Map<String, Value>,
    after: &Map<String, Value>,
) -> Map<String, Value> {
    raw.retain(|name, _| after.contains_key(name) || !before.contains_key(name));
    for (name, after) in after {
        let was = before.get(name);
        if was == Some(after) {
            continue;
        }
        let raw_value = raw.remove(name);
        let value = match (raw_value, was) {
            (Some(raw), Some(was)) => carry_over(raw, was, after),
            _ => after.clone(),
        };
        raw.insert(name.clone(), value);
    }
    raw
}

/// An item is found again if it did not change, or by its `name`, or by its place in a list of the
/// same length. Every other is new.
fn items(raw: Vec<Value>, before: &[Value], after: &[Value]) -> Vec<Value> {
    let is_same_length = before.len() == after.len();
    let mut left: VecDeque<_> = raw.into_iter().zip(before).enumerate().collect();
    let mut take = |is_it: &dyn Fn(usize, &Value) -> bool| {
        let place = left
            .iter()
            .position(|(index, (_, was))| is_it(*index, was))?;
        left.remove(place).map(|(_, found)| found)
    };
    let unchanged: Vec<_> = after
        .iter()
        .map(|item| take(&|_, was| was == item))
        .collect();
    let found = after.iter().zip(unchanged).enumerate();
    let found = found.map(|(index, (item, unchanged))| {
        let found = unchanged
            .or_else(|| take(&|_, was| name(item).is_some() && name(was) == name(item)))
            .or_else(|| take(&|place, was| is_same_length && place == index && !is_named(was)));
        match found {
            Some((raw, was)) => carry_over(raw, was, item),
            None => item.clone(),
        }
    });
    found.collect()
}

fn name(item: &Value) -> Option<&str> {
    item.get("name")?.as_str()
}

fn is_named(item: &Value) -> bool {
    name(item).is_some()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Any JSON, of few names, so that two have some in common.
    fn json() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            (0..3_i32).prop_map(Value::from),
            "[ab]".prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 32, 4, |inner| {
            let name = prop_oneof![Just("name".to_owned()), "[abc]"];
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                prop::collection::hash_map(name, inner, 0..4)
                    .prop_map(|it| Value::Object(it.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn what_a_type_knows_becomes_what_it_was_made(before in json(), after in json()) {
            prop_assert_eq!(carry_over(before.clone(), &before, &after), after);
        }

        #[test]
        fn what_did_not_change_stays(raw in json(), before in json()) {
            prop_assert_eq!(carry_over(raw.clone(), &before, &before), raw);
        }

        #[test]
        fn unknown_fields_stay(before in json(), after in json(), unknown in json()) {
            let (Value::Object(before), Value::Object(after)) = (before, after) else {
                return Ok(());
            };
            let mut raw = before.clone();
            raw.insert("unknown".to_owned(), unknown.clone());
            let mut expected = after.clone();
            expected.insert("unknown".to_owned(), unknown);
            let found = carry_over(raw.into(), &before.into(), &after.into());
            prop_assert_eq!(found, Value::Object(expected));
        }
    }
}
