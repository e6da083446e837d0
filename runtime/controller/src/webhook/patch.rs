//! Transfer of the changes of a typed object into the JSON that it was decoded from.
//!
//! A type may lack fields of an object, because a newer version of the CRD has more fields, or
//! because the client's Kubernetes types are older than the API server. These fields are kept where
//! possible.

use std::collections::VecDeque;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

/// Returns `raw` with the changes between `before` and `after`. `before` is `raw` decoded as `K`
/// and encoded again, and `after` is the encoded object after its changes. A field with equal
/// values in `before` and `after` stays as it is in `raw`, or stays absent if `raw` lacks it.
/// Fields that `K` does not know are kept.
///
/// The result is checked: decoded as `K` and encoded, it must equal `after`, up to the order of
/// lists. If it differs, changed lists are replaced as a whole, so their items lose unknown fields.
/// If the result still differs, `after` is returned, without any unknown fields.
pub(super) fn carry_changes<K>(raw: Value, before: &Value, after: &Value) -> Value
where
    K: DeserializeOwned + Serialize,
{
    if before == after {
        return raw;
    }
    let expected = sort_lists(after);
    for lists in [Lists::ItemByItem, Lists::Whole] {
        let carried = lists.carry_over(raw.clone(), before, after);
        let read = serde_json::from_value::<K>(carried.clone()).and_then(serde_json::to_value);
        if read.is_ok_and(|read| sort_lists(&read) == expected) {
            return carried;
        }
    }
    // For example, `raw` may have a field under its serde `alias`. A changed value is then added
    // under the field's name, and serde rejects the duplicate.
    after.clone()
}

/// Returns a value with sorted lists, for comparison. A hash set has another order each time it is
/// decoded.
fn sort_lists(value: &Value) -> Value {
    match value {
        Value::Object(fields) => {
            let fields = fields.iter();
            fields
                .map(|(name, it)| (name.clone(), sort_lists(it)))
                .collect()
        }
        Value::Array(items) => {
            let mut items: Vec<_> = items.iter().map(sort_lists).collect();
            items.sort_by_cached_key(Value::to_string);
            items.into()
        }
        other => other.clone(),
    }
}

/// Strategy for changed lists.
#[derive(Clone, Copy)]
enum Lists {
    /// Items are matched, and matched items keep the fields that the type does not know.
    ItemByItem,
    /// A changed list is replaced as a whole.
    Whole,
}

impl Lists {
    fn carry_over(self, raw: Value, before: &Value, after: &Value) -> Value {
        if before == after {
            return raw;
        }
        match (raw, before, after) {
            (Value::Object(raw), Value::Object(before), Value::Object(after)) => {
                Value::Object(self.carry_over_fields(raw, before, after))
            }
            (Value::Array(raw), Value::Array(before), Value::Array(after))
                if matches!(self, Self::ItemByItem) && are_in_order(&raw, before) =>
            {
                Value::Array(self.carry_over_items(raw, before, after))
            }
            (_, _, after) => after.clone(),
        }
    }

    fn carry_over_fields(
        self,
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
                (Some(raw), Some(was)) => self.carry_over(raw, was, after),
                _ => after.clone(),
            };
            raw.insert(name.clone(), value);
        }
        raw
    }

    /// Merges a list item by item. An item of `after` is matched with an equal item of `before`, or
    /// else with an item of the same `name`. In lists of the same length, it may also match an
    /// unnamed item at the same index. Items without a match are new.
    fn carry_over_items(self, raw: Vec<Value>, before: &[Value], after: &[Value]) -> Vec<Value> {
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
                .or_else(|| {
                    take(&|_, was| item_name(item).is_some() && item_name(was) == item_name(item))
                })
                .or_else(|| take(&|place, was| is_same_length && place == index && !is_named(was)));
            match found {
                Some((raw, was)) => self.carry_over(raw, was, item),
                None => item.clone(),
            }
        });
        found.collect()
    }
}

/// Whether the items of both lists correspond by index. If the type has a set, they often do not: a
/// set reorders items and drops duplicates. Scalars count as not corresponding: they have no
/// unknown fields, so their list can be replaced as a whole.
fn are_in_order(raw: &[Value], before: &[Value]) -> bool {
    let is_same = |(raw, before): (&Value, &Value)| {
        let is_known = item_name(raw).is_some() && item_name(raw) == item_name(before);
        is_known || (!is_scalar(raw) && may_be_encoded_as(raw, before))
    };
    raw.len() == before.len() && raw.iter().zip(before).all(is_same)
}

/// Whether `before` may be the result of decoding and encoding `raw`. Only common fields are
/// compared. Numbers are compared by value, so `1` agrees with `1.0`. A list of scalars in `raw`
/// has to contain every item of `before`, because a set sorts items and drops duplicates.
fn may_be_encoded_as(raw: &Value, before: &Value) -> bool {
    match (raw, before) {
        // The type may decode null as a default.
        (Value::Null, _) => true,
        (Value::Number(raw), Value::Number(before)) => raw.as_f64() == before.as_f64(),
        (Value::Object(raw), Value::Object(before)) => raw.iter().all(|(name, raw)| {
            before
                .get(name)
                .is_none_or(|before| may_be_encoded_as(raw, before))
        }),
        (Value::Array(raw), Value::Array(before)) if raw.iter().all(is_scalar) => {
            before.iter().all(|item| raw.contains(item))
        }
        (Value::Array(raw), Value::Array(before)) => are_in_order(raw, before),
        (raw, before) => raw == before,
    }
}

fn is_scalar(item: &Value) -> bool {
    !item.is_object() && !item.is_array()
}

fn item_name(item: &Value) -> Option<&str> {
    item.get("name")?.as_str()
}

fn is_named(item: &Value) -> bool {
    item_name(item).is_some()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use serde::Deserialize;
    use std::collections::{BTreeMap, BTreeSet, HashSet};

    use super::*;

    /// A type with every form of collection.
    #[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
    #[serde(default)]
    struct Known {
        sorted: BTreeSet<u8>,
        #[serde(skip_serializing_if = "HashSet::is_empty")]
        hashed: HashSet<u8>,
        listed: Vec<u8>,
        lists: Vec<Vec<u8>>,
        map: BTreeMap<String, Item>,
        items: Vec<Item>,
        item_set: BTreeSet<Item>,
        hashed_items: HashSet<Item>,
        #[serde(skip_serializing_if = "Option::is_none")]
        one: Option<Item>,
    }

    #[derive(
        Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
    )]
    #[serde(default)]
    struct Item {
        #[serde(skip_serializing_if = "Option::is_none")]
        name: Option<String>,
        number: u8,
        #[serde(skip_serializing_if = "BTreeSet::is_empty")]
        tags: BTreeSet<u8>,
    }

    /// JSON that a client may send for a [`Known`]: in any order, with duplicates and unknown
    /// fields.
    fn raw() -> impl Strategy<Value = Value> {
        let numbers = || prop::collection::vec(0..4_u8, 0..4);
        let item = || {
            let name = prop::option::of("[ab]");
            let parts = (
                name,
                prop::option::of(0..3_u8),
                numbers(),
                prop::option::of(0..3_u8),
            );
            parts.prop_map(|(name, number, tags, future)| {
                let mut item = serde_json::json!({ "tags": tags });
                item.as_object_mut().unwrap().extend(
                    [
                        ("name", name.map(Value::from)),
                        ("number", number.map(Value::from)),
                        ("future", future.map(Value::from)),
                    ]
                    .into_iter()
                    .filter_map(|(name, value)| Some((name.to_owned(), value?))),
                );
                item
            })
        };
        let items = || prop::collection::vec(item(), 0..4);
        let map = prop::collection::btree_map("[ab]", item(), 0..3);
        let lists = prop::collection::vec(numbers(), 0..3);
        let some = (numbers(), numbers(), numbers(), lists, map);
        let more = (items(), items(), items(), prop::option::of(item()));
        (some, more).prop_map(|(some, more)| {
            let (sorted, hashed, listed, lists, map) = some;
            let (items, item_set, hashed_items, one) = more;
            serde_json::json!({
                "sorted": sorted, "hashed": hashed, "listed": listed, "lists": lists, "map": map,
                "items": items, "item_set": item_set, "hashed_items": hashed_items, "one": one,
                "future": { "a": [1, 2] },
            })
        })
    }

    /// Any JSON, with few names, so that two values have some in common.
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

    /// A field, its items as sent, its known items after the change, and the expected items.
    /// `future` is a field that the type does not know.
    #[test]
    fn unknown_fields_stay_with_their_item() {
        let cases = serde_json::json!([
            [
                "items", [{ "number": 1, "tags": [2, 1], "future": 7 }],
                [{ "number": 5, "tags": [1, 2] }],
                [{ "number": 5, "tags": [2, 1], "future": 7 }],
            ],
            // An item is matched by its name,
            [
                "items", [{ "name": "a", "number": 1, "future": 7 }, { "name": "b", "future": 8 }],
                [{ "name": "b", "number": 3 }, { "name": "a", "number": 1 }],
                [
                    { "name": "b", "number": 3, "future": 8 },
                    { "name": "a", "number": 1, "future": 7 },
                ],
            ],
            [
                "items", [{ "name": "a", "number": 1, "future": 7 }],
                [{ "name": "b", "number": 1 }], [{ "name": "b", "number": 1 }],
            ],
            // or by its index, if it has no name and the list has the same length.
            [
                "items", [{ "number": 1, "future": 7 }, { "number": 2, "future": 8 }],
                [{ "number": 3 }, { "number": 2 }],
                [{ "number": 3, "future": 7 }, { "number": 2, "future": 8 }],
            ],
            [
                "items", [{ "number": 1, "future": 7 }, { "number": 2, "future": 8 }],
                [{ "number": 2 }, { "number": 3 }], [{ "number": 2, "future": 8 }, { "number": 3 }],
            ],
            [
                "items", [{ "number": 1, "future": 7 }, { "number": 2, "future": 8 }],
                [{ "number": 3 }], [{ "number": 3 }],
            ],
            // The set was sent in another order than that of its type, so indexes differ.
            [
                "item_set", [{ "number": 0 }, { "number": 2, "future": 7 }, { "number": 1 }],
                [{ "number": 0 }, { "number": 5 }, { "number": 6 }],
                [{ "number": 0 }, { "number": 5 }, { "number": 6 }],
            ],
        ]);
        for case in cases.as_array().unwrap() {
            let field = case[0].as_str().unwrap();
            let raw = serde_json::json!({ field: case[1] });
            let known: Known = serde_json::from_value(raw.clone()).unwrap();
            let before = serde_json::to_value(&known).unwrap();
            let mut after = before.clone();
            after[field] = case[2].clone();
            let carried = carry_changes::<Known>(raw, &before, &after);
            assert_eq!(carried[field], case[3], "{case}");
        }
    }

    proptest! {
        #[test]
        fn patched_objects_decode_to_the_mutated_object(
            sent in raw(),
            made in raw(),
            parts in prop::collection::vec(any::<bool>(), 9),
        ) {
            let read = |raw: &Value| serde_json::from_value::<Known>(raw.clone()).unwrap();
            let mut other = sent.clone();
            let fields = made.as_object().unwrap().iter().zip(parts.iter().cycle());
            for ((name, value), _) in fields.filter(|(_, is_changed)| **is_changed) {
                other[name] = value.clone();
            }
            let object = read(&sent);
            let before = serde_json::to_value(&object).unwrap();
            let after = read(&other);
            let made = serde_json::to_value(&after).unwrap();
            let carried = carry_changes::<Known>(sent.clone(), &before, &made);
            let mut patched = sent.clone();
            json_patch::patch(&mut patched, &json_patch::diff(&sent, &carried)).unwrap();
            prop_assert_eq!(read(&patched), after);
            prop_assert_eq!(&patched["future"], &sent["future"]);
        }

        #[test]
        fn carry_over_applies_changes_of_known_fields(before in json(), after in json()) {
            prop_assert_eq!(Lists::ItemByItem.carry_over(before.clone(), &before, &after), after);
        }

        #[test]
        fn carry_over_without_changes_returns_the_raw_object(raw in json(), before in json()) {
            prop_assert_eq!(Lists::ItemByItem.carry_over(raw.clone(), &before, &before), raw);
        }

        #[test]
        fn carry_over_keeps_unknown_fields(before in json(), after in json(), unknown in json()) {
            let (Value::Object(before), Value::Object(after)) = (before, after) else {
                return Ok(());
            };
            let mut raw = before.clone();
            raw.insert("unknown".to_owned(), unknown.clone());
            let mut expected = after.clone();
            expected.insert("unknown".to_owned(), unknown);
            let found = Lists::ItemByItem.carry_over(raw.into(), &before.into(), &after.into());
            prop_assert_eq!(found, Value::Object(expected));
        }
    }
}
