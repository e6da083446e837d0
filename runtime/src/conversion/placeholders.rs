//! Partial objects with placeholders in place of the fields that their type requires.
//!
//! The types are known by their `Deserialize` alone: a placeholder is the first of a few values
//! that the type accepts. As in Go, this is the zero value of most types.

use std::fmt;

use serde_json::{Value, json};

use super::decode_flaw::{Flaw, FlawKind, PathStep};

/// Maximum number of placeholders of an object.
const MAX_PLACEHOLDERS: usize = 256;

/// Values of texts. Times, addresses and the like are for types that parse their text.
const STRING_CANDIDATES: [&str; 14] = [
    "",
    "a",
    "0",
    "1",
    "0s",
    "1s",
    "1970-01-01T00:00:00Z",
    "2000-01-01T00:00:00Z",
    "0.0.0.0",
    "127.0.0.1",
    "0.0.0",
    "https://example.com",
    "00000000-0000-0000-0000-000000000000",
    "YQ==",
];

pub(super) type FindFlaw = fn(&Value) -> Option<Flaw>;

/// An object that its type can decode, with the placeholders that this took.
pub(super) struct FilledObject {
    pub(super) object: Value,
    placeholders: Vec<Placeholder>,
    find_flaw: FindFlaw,
}

struct Placeholder {
    path: Vec<PathStep>,
    /// Values to try in this order.
    candidates: Vec<Value>,
    chosen: usize,
    /// Whether the type accepts no later candidate.
    is_last: bool,
}

impl FilledObject {
    /// Fills the fields that an object lacks. Returns `None` if its type cannot decode the object
    /// for another reason.
    pub(super) fn new(object: Value, find_flaw: FindFlaw) -> Option<Self> {
        let mut filled = Self {
            object,
            placeholders: Vec::new(),
            find_flaw,
        };
        while let Some(flaw) = find_flaw(&filled.object) {
            filled.correct(flaw)?;
        }
        Some(filled)
    }

    /// Adds a placeholder, or gives the last one its next value.
    fn correct(&mut self, flaw: Flaw) -> Option<()> {
        let Flaw { mut path, kind } = flaw;
        let at = match kind {
            FlawKind::Missing(field) => {
                path.push(PathStep::Field(field.to_owned()));
                let is_known = self.placeholders.iter().any(|known| known.path == path);
                if is_known || self.placeholders.len() == MAX_PLACEHOLDERS {
                    return None;
                }
                self.placeholders.push(Placeholder {
                    path,
                    candidates: all_candidates(),
                    chosen: 0,
                    is_last: false,
                });
                0
            }
            kind => {
                // A type that buffers values reports a flaw at the path of the buffered value.
                let last = self.placeholders.last_mut()?;
                if !path.starts_with(&last.path) && !last.path.starts_with(&path) {
                    return None;
                }
                if let FlawKind::UnknownVariant(variants) = kind {
                    last.prefer_variants(variants);
                }
                last.chosen + 1
            }
        };
        self.choose(self.placeholders.len() - 1, at)
    }

    /// Gives each placeholder the next value that its type accepts. Returns `false` if none has
    /// another value.
    pub(super) fn advance(&mut self) -> bool {
        let mut is_changed = false;
        for at in 0..self.placeholders.len() {
            let chosen = self.placeholders[at].chosen;
            if self.placeholders[at].is_last || self.has_inner(at) {
                continue;
            }
            let mut next = chosen + 1;
            while self.choose(at, next).is_some() && (self.find_flaw)(&self.object).is_some() {
                next += 1;
            }
            if next < self.placeholders[at].candidates.len() {
                is_changed = true;
            } else {
                self.choose(at, chosen);
                self.placeholders[at].is_last = true;
            }
        }
        is_changed
    }

    /// Whether other placeholders are inside of this one.
    fn has_inner(&self, at: usize) -> bool {
        let outer = &self.placeholders[at].path;
        let mut paths = self.placeholders.iter().map(|it| &it.path);
        paths.any(|path| path.len() > outer.len() && path.starts_with(outer))
    }

    /// Writes a value of a placeholder into the object. Returns `None` if there is no such value,
    /// or the object has no such path.
    fn choose(&mut self, placeholder: usize, candidate: usize) -> Option<()> {
        let placeholder = self.placeholders.get_mut(placeholder)?;
        let value = placeholder.candidates.get(candidate)?.clone();
        let (last, outer) = placeholder.path.split_last()?;
        let PathStep::Field(name) = last else {
            return None;
        };
        let fields = find_value_mut(&mut self.object, outer)?.as_object_mut()?;
        fields.insert(name.clone(), value);
        placeholder.chosen = candidate;
        Some(())
    }

    /// Whether a placeholder is an object or a list, which has no other value.
    pub(super) fn has_container(&self) -> bool {
        let is_container = |value: &Value| value.is_object() || value.is_array();
        self.placeholders
            .iter()
            .any(|it| is_container(&it.candidates[it.chosen]))
    }

    pub(super) fn paths(&self) -> impl Iterator<Item = &[PathStep]> {
        self.placeholders.iter().map(|it| &*it.path)
    }
}

impl Placeholder {
    /// Tries the variants of an enum next: those without data, then those with data.
    fn prefer_variants(&mut self, variants: &'static [&'static str]) {
        let names = variants.iter().map(|name| json!(name));
        if names.clone().any(|name| self.candidates.contains(&name)) {
            return;
        }
        self.candidates.truncate(self.chosen + 1);
        self.candidates.extend(names);
        let with_data = variants.iter().map(|name| json!({ *name: {} }));
        self.candidates.extend(with_data);
    }
}

fn all_candidates() -> Vec<Value> {
    let mut candidates = vec![Value::Null, json!(0), json!(1)];
    candidates.extend(STRING_CANDIDATES.map(Value::from));
    candidates.extend([json!(false), json!(true), json!({}), json!([])]);
    candidates
}

fn find_value_mut<'v>(object: &'v mut Value, path: &[PathStep]) -> Option<&'v mut Value> {
    path.iter().try_fold(object, |value, step| match step {
        PathStep::Field(name) => value.get_mut(name),
        PathStep::Item(at) => value.get_mut(*at),
    })
}

/// Lists the placeholders for messages: `.spec.size` as `0`.
impl fmt::Display for FilledObject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, placeholder) in self.placeholders.iter().enumerate() {
            f.write_str(if at == 0 { "`" } else { ", `" })?;
            for step in &placeholder.path {
                match step {
                    PathStep::Field(name) => write!(f, ".{name}")?,
                    PathStep::Item(at) => write!(f, "[{at}]")?,
                }
            }
            write!(f, "` as `{}`", placeholder.candidates[placeholder.chosen])?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::net::IpAddr;
    use std::num::NonZeroU32;

    use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
    use k8s_openapi::apimachinery::pkg::util::intstr::IntOrString;
    use serde::Deserialize;
    use serde::de::DeserializeOwned;

    use super::super::decode_flaw::find_flaw;
    use super::*;

    #[derive(Deserialize)]
    #[expect(dead_code, reason = "only its decoding is tested")]
    struct Required<T> {
        field: T,
    }

    #[derive(Deserialize)]
    #[expect(dead_code, reason = "only its decoding is tested")]
    struct Flattened<T> {
        #[serde(flatten)]
        inner: Required<T>,
    }

    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    enum Mode {
        OnlyByNight,
        Always,
    }

    #[derive(Deserialize)]
    #[serde(tag = "type")]
    #[expect(dead_code, reason = "only its decoding is tested")]
    enum Tagged {
        Fixed { size: u8 },
        Free,
    }

    #[derive(Deserialize)]
    #[expect(dead_code, reason = "only its decoding is tested")]
    enum WithData {
        Fixed { size: u8 },
    }

    #[derive(Deserialize)]
    #[serde(untagged)]
    #[expect(dead_code, reason = "only its decoding is tested")]
    enum Untagged {
        Number(bool),
        Text(String),
    }

    /// Fills an object, and returns its `field` with the first and the next placeholders.
    fn fill<T: DeserializeOwned>(object: Value) -> Option<(Value, Value)> {
        let mut filled = FilledObject::new(object, find_flaw::<T>)?;
        let first = filled.object["field"].take();
        filled.object["field"] = first.clone();
        filled.advance();
        assert_eq!((filled.find_flaw)(&filled.object), None);
        Some((first, filled.object["field"].take()))
    }

    fn placeholders<T: DeserializeOwned>() -> Option<(Value, Value)> {
        fill::<Required<T>>(json!({}))
    }

    #[test]
    fn placeholders_are_the_first_values_that_a_type_accepts() {
        for (found, first, next) in [
            (placeholders::<i32>(), json!(0), json!(1)),
            (placeholders::<f64>(), json!(0), json!(1)),
            (placeholders::<NonZeroU32>(), json!(1), json!(1)),
            (placeholders::<String>(), json!(""), json!("a")),
            (placeholders::<bool>(), json!(false), json!(true)),
            (placeholders::<Value>(), json!(null), json!(0)),
            (placeholders::<IntOrString>(), json!(0), json!(1)),
            (
                placeholders::<Time>(),
                json!("1970-01-01T00:00:00Z"),
                json!("2000-01-01T00:00:00Z"),
            ),
            (
                placeholders::<IpAddr>(),
                json!("0.0.0.0"),
                json!("127.0.0.1"),
            ),
            (placeholders::<Vec<u8>>(), json!([]), json!([])),
            (placeholders::<BTreeMap<String, u8>>(), json!({}), json!({})),
            (
                placeholders::<Mode>(),
                json!("onlyByNight"),
                json!("always"),
            ),
            (
                placeholders::<Tagged>(),
                // A tag may be the number of its variant.
                json!({"type": 0, "size": 0}),
                json!({"type": 1, "size": 1}),
            ),
            (
                placeholders::<WithData>(),
                json!({"Fixed": {"size": 0}}),
                json!({"Fixed": {"size": 1}}),
            ),
            (placeholders::<Untagged>(), json!(""), json!("a")),
            (
                placeholders::<Required<Required<u8>>>(),
                json!({"field": {"field": 0}}),
                json!({"field": {"field": 1}}),
            ),
            (fill::<Flattened<i32>>(json!({})), json!(0), json!(1)),
            (fill::<Flattened<String>>(json!({})), json!(""), json!("a")),
        ] {
            assert_eq!(found, Some((first, next)));
        }
    }

    /// Values of the object itself are never changed.
    #[test]
    fn objects_of_another_type_are_not_filled() {
        for object in [json!({"field": "1"}), json!([]), json!({"field": null})] {
            assert!(FilledObject::new(object, find_flaw::<Required<i32>>).is_none());
        }
        let keys = json!({"field": {"1": {"field": 2}, "2": {}}});
        let filled = fill::<Required<BTreeMap<u8, Required<u8>>>>(keys);
        let expected = |value| json!({"1": {"field": 2}, "2": {"field": value}});
        assert_eq!(filled, Some((expected(0), expected(1))));
    }
}
