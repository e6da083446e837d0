//! [`Node`]: document that a JSON patch is applied to. Scalars are kept as unparsed JSON.
//!
//! The operation `test` compares scalars as text: `"\u003c"` is not equal to `"<"`. In the
//! document, `<` is always `\u003c`, since Go's encoder escapes it.

use std::collections::BTreeMap;

use genclient_apimachinery::go;
use serde_json::Value;
use serde_json::value::RawValue;

/// Node of a document (`lazyNode`).
#[derive(Clone, Debug)]
pub(super) enum Node {
    /// `null` in the document or inside a value of the patch. Also the value of an operation that
    /// has no `value`.
    Null,
    /// The `null` of an operation with `"value": null`. evanphx/json-patch distinguishes it from an
    /// absent `value`: `test` does not always consider the two equal.
    PatchedNull,
    /// Boolean, number or string as unparsed JSON.
    Scalar(String),
    Object(BTreeMap<String, Node>),
    Array(Vec<Node>),
}

impl Node {
    /// Creates the document from a value, with scalars as the server serializes them.
    pub(super) fn from_value(value: &Value) -> Self {
        match value {
            Value::Null => Self::Null,
            Value::Array(items) => Self::Array(items.iter().map(Self::from_value).collect()),
            Value::Object(members) => {
                let nodes = members.iter();
                Self::Object(
                    nodes
                        .map(|(key, value)| (key.clone(), Self::from_value(value)))
                        .collect(),
                )
            }
            Value::String(_) => Self::Scalar(go::escaped(&value.to_string())),
            Value::Number(_) => Self::Scalar(go::json(value)),
            Value::Bool(truth) => Self::Scalar(truth.to_string()),
        }
    }

    /// Parses a value of a patch.
    pub(super) fn parse(text: &RawValue) -> Option<Self> {
        let text = text.get();
        Some(match text.as_bytes().first()? {
            b'n' => Self::Null,
            b'{' => {
                let members: BTreeMap<String, &RawValue> = serde_json::from_str(text).ok()?;
                let mut nodes = BTreeMap::new();
                for (key, member) in members {
                    nodes.insert(key, Self::parse(member)?);
                }
                Self::Object(nodes)
            }
            b'[' => {
                let items: Vec<&RawValue> = serde_json::from_str(text).ok()?;
                Self::Array(items.into_iter().map(Self::parse).collect::<Option<_>>()?)
            }
            _ => Self::Scalar(text.to_owned()),
        })
    }

    pub(super) fn into_value(self) -> Value {
        match self {
            Self::Null | Self::PatchedNull => Value::Null,
            Self::Scalar(text) => serde_json::from_str(&text).unwrap_or(Value::Null),
            Self::Object(members) => {
                let values = members.into_iter();
                Value::Object(values.map(|(key, node)| (key, node.into_value())).collect())
            }
            Self::Array(items) => Value::Array(items.into_iter().map(Self::into_value).collect()),
        }
    }

    /// Returns whether `test` considers two nodes equal (`lazyNode.equal`).
    pub(super) fn equals(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Null, Self::Null) | (Self::PatchedNull, Self::PatchedNull) => true,
            (Self::Scalar(a), Self::Scalar(b)) => a == b,
            (Self::Object(a), Self::Object(b)) => {
                let member = |(key, node): (&String, &Self)| {
                    b.get(key).is_some_and(|other| node.equals(other))
                };
                a.len() == b.len() && a.iter().all(member)
            }
            (Self::Array(a), Self::Array(b)) => {
                a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.equals(b))
            }
            _ => false,
        }
    }

    pub(super) fn is_null(&self) -> bool {
        matches!(self, Self::Null | Self::PatchedNull)
    }

    /// Returns the nesting depth of objects and lists in the node.
    pub(super) fn depth(&self) -> usize {
        match self {
            Self::Object(members) => 1 + members.values().map(Self::depth).max().unwrap_or(0),
            Self::Array(items) => 1 + items.iter().map(Self::depth).max().unwrap_or(0),
            _ => 0,
        }
    }

    /// Returns the size in bytes of the JSON that Go writes for the node.
    pub(super) fn size(&self) -> usize {
        match self {
            Self::Null | Self::PatchedNull => 4,
            Self::Scalar(text) => go::escaped(text).len(),
            Self::Object(members) => {
                let key_size =
                    |key: &String| go::escaped(&Value::from(key.as_str()).to_string()).len();
                let sizes = members
                    .iter()
                    .map(|(name, node)| key_size(name) + 1 + node.size());
                sizes.sum::<usize>() + 2 + members.len().saturating_sub(1)
            }
            Self::Array(items) => {
                let sizes = items.iter().map(Self::size);
                sizes.sum::<usize>() + 2 + items.len().saturating_sub(1)
            }
        }
    }
}
