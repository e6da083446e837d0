//! JSON merge patch between two values: RFC 7386.

use serde_json::{Map, Value};

/// Returns the merge patch that turns `from` into `to`; `None` if they are equal. Lists are
/// replaced as a whole. A null in `to` counts as an absent member, because a null in a merge patch
/// removes the member.
pub(crate) fn difference(from: &Value, to: &Value) -> Option<Value> {
    let (Value::Object(from), Value::Object(to)) = (from, to) else {
        return (from != to).then(|| to.clone());
    };
    let mut patch = Map::new();
    for (key, new) in to {
        let changed = match from.get(key) {
            Some(old) => difference(old, new),
            None if new.is_null() => None,
            None => Some(new.clone()),
        };
        patch.extend(changed.map(|changed| (key.clone(), changed)));
    }
    for key in from.keys().filter(|key| !to.contains_key(*key)) {
        patch.insert(key.clone(), Value::Null);
    }
    (!patch.is_empty()).then_some(Value::Object(patch))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// The cases of the RFC's appendix, with the patch as the result.
    #[test]
    fn differences_are_merged_to_the_result() {
        for (from, to, expected) in [
            (json!({"a": "b"}), json!({"a": "c"}), json!({"a": "c"})),
            (
                json!({"a": "b"}),
                json!({"a": "b", "b": "c"}),
                json!({"b": "c"}),
            ),
            (json!({"a": "b"}), json!({}), json!({"a": null})),
            (
                json!({"a": "b", "b": "c"}),
                json!({"b": "c"}),
                json!({"a": null}),
            ),
            (json!({"a": ["b"]}), json!({"a": "c"}), json!({"a": "c"})),
            (json!({"a": "c"}), json!({"a": ["b"]}), json!({"a": ["b"]})),
            (
                json!({"a": {"b": "c"}}),
                json!({"a": {"b": "d"}}),
                json!({"a": {"b": "d"}}),
            ),
            (
                json!({"a": {"b": "c"}}),
                json!({"a": {}}),
                json!({"a": {"b": null}}),
            ),
            (
                json!({"a": [1]}),
                json!({"a": [1, 2]}),
                json!({"a": [1, 2]}),
            ),
        ] {
            assert_eq!(difference(&from, &to), Some(expected), "{from} {to}");
            assert_eq!(difference(&from, &from), None);
        }
        assert_eq!(difference(&json!({}), &json!({"a": null})), None);
    }
}
