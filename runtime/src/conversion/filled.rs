//! Partial objects with placeholders in place of the fields that their type requires.
//!
//! The types are known by their `Deserialize` alone: a placeholder is the first of a few values
//! that the type accepts. As in Go, this is the zero value of most types.

use std::fmt;

use serde_json::{Value, json};

use super::flaw::{Flaw, FlawKind, Step};

/// Maximum number of placeholders of an object.
const MAX_PLACEHOLDERS: usize = 256;

/// Values of texts. Times, addresses and the like are for types that parse their text.
const TEXTS: [&str; 14] = [
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
pub(super) struct Filled {
    pub(super) object: Value,
    placeholders: Vec<Placeholder>,
    find_flaw: FindFlaw,
}

struct Placeholder {
    path: Vec<Step>,
    /// Values to try in this order.
    candidates: Vec<Value>,
    chosen: usize,
}

impl Filled {
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
                path.push(Step::Field(field.to_owned()));
                let is_known = self.placeholders.iter().any(|known| known.path == path);
                if is_known || self.placeholders.len() == MAX_PLACEHOLDERS {
                    return None;
                }
                self.placeholders.push(Placeholder {
                    path,
                    candidates: candidates(),
                    chosen: 0,
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
            if self.has_inner(at) {
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
    /// or the object has no such place.
    fn choose(&mut self, placeholder: usize, candidate: usize) -> Option<()> {
        let placeholder = self.placeholders.get_mut(placeholder)?;
        let value = placeholder.candidates.get(candidate)?.clone();
        let (last, outer) = placeholder.path.split_last()?;
        let Step::Field(name) = last else {
            return None;
        };
        let fields = locate(&mut self.object, outer)?.as_object_mut()?;
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

    pub(super) fn paths(&self) -> impl Iterator<Item = &[Step]> {
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

fn candidates() -> Vec<Value> {
    let mut candidates = vec![Value::Null, json!(0), json!(1)];
    candidates.extend(TEXTS.map(Value::from));
    candidates.extend([json!(false), json!(true), json!({}), json!([])]);
    candidates
}

fn locate<'v>(object: &'v mut Value, path: &[Step]) -> Option<&'v mut Value> {
    path.iter().try_fold(object, |value, step| match step {
        Step::Field(name) => value.get_mut(name),
        Step::Item(at) => value.get_mut(*at),
    })
}

/// Lists the placeholders for messages: `.spec.size` as `0`.
impl fmt::Display for Filled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, placeholder) in self.placeholders.iter().enumerate() {
            f.write_str(if at == 0 { "`" } else { ", `" })?;
            for step in &placeholder.path {
                match step {
                    Step::Field(name) => write!(f, ".{name}")?,
                    Step::Item(at) => write!(f, "[{at}]")?,
                }
            }
            write!(f, "` as `{}`", placeholder.candidates[placeholder.chosen])?;
        }
        Ok(())
    }
}
