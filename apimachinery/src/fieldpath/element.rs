//! [`PathElement`]: one step of a field path.

use std::cmp::Ordering;
use std::fmt;
use std::sync::Arc;

use serde_json::Value;

use super::{print, value};

/// Step of a field path. Elements of different variants sort in the order of the variants.
///
/// Source: structured-merge-diff, fieldpath/element.go.
#[derive(Clone, Debug)]
pub enum PathElement {
    /// Field of a struct or entry of a map.
    Field(Arc<str>),
    /// List item whose key fields have these values, sorted by field name.
    ListKey(Arc<[(Arc<str>, Value)]>),
    /// Item of a set, identified by its value.
    Value(Arc<Value>),
    /// List item at this position.
    Index(i64),
    /// List item whose identity cannot be determined. Only corrupt objects have such items.
    Invalid,
}

impl PathElement {
    /// Returns the element of a field.
    pub fn field(name: &str) -> Self {
        Self::Field(name.into())
    }

    fn rank(&self) -> u8 {
        match self {
            Self::Field(_) => 0,
            Self::ListKey(_) => 1,
            Self::Value(_) => 2,
            Self::Index(_) => 3,
            Self::Invalid => 4,
        }
    }
}

impl Ord for PathElement {
    fn cmp(&self, other: &Self) -> Ordering {
        match (self, other) {
            (Self::Field(a), Self::Field(b)) => a.cmp(b),
            (Self::ListKey(a), Self::ListKey(b)) => order_keys(a, b),
            (Self::Value(a), Self::Value(b)) => value::compare_values(a, b),
            (Self::Index(a), Self::Index(b)) => a.cmp(b),
            _ => self.rank().cmp(&other.rank()),
        }
    }
}

fn order_keys(a: &[(Arc<str>, Value)], b: &[(Arc<str>, Value)]) -> Ordering {
    let mut pairs = a.iter().zip(b);
    let first = pairs.find_map(|((a_name, a), (b_name, b))| {
        let order = a_name.cmp(b_name).then_with(|| value::compare_values(a, b));
        Some(order).filter(|order| order.is_ne())
    });
    first.unwrap_or_else(|| a.len().cmp(&b.len()))
}

impl PartialOrd for PathElement {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for PathElement {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for PathElement {}

impl fmt::Display for PathElement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Field(name) => write!(f, ".{name}"),
            Self::ListKey(keys) => {
                let key =
                    |(name, value): &(Arc<str>, Value)| format!("{name}={}", print::in_path(value));
                let keys: Vec<_> = keys.iter().map(key).collect();
                write!(f, "[{}]", keys.join(","))
            }
            Self::Value(value) => write!(f, "[={}]", print::in_path(value)),
            Self::Index(index) => write!(f, "[{index}]"),
            Self::Invalid => f.write_str("{{invalid path element}}"),
        }
    }
}

/// Formats a path for conflict messages: `.spec.ports[name="a"].port`.
pub fn format_path(path: &[PathElement]) -> String {
    path.iter().map(ToString::to_string).collect()
}
