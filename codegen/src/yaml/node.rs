//! [`YamlNode`]: a document as data.

use std::fmt::Display;

use serde_json::Value;

/// A value of a document. The entries of a map stand in the order in which they were added.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum YamlNode {
    /// A string.
    Text(String),
    /// A number, a boolean, null, or an expression of a template, as it is written.
    Plain(String),
    /// A list.
    List(Vec<YamlNode>),
    /// A map.
    Map(Vec<(String, YamlNode)>),
    /// An entry or item between two lines of a template.
    Between(Lines, Box<YamlNode>),
}

/// Lines of a template around an entry or an item.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Lines {
    /// The line above.
    pub(crate) above: String,
    /// The line below.
    pub(crate) below: String,
}

impl YamlNode {
    /// A number or a boolean.
    pub(crate) fn plain(value: impl Display) -> Self {
        Self::Plain(value.to_string())
    }
}

impl From<&Value> for YamlNode {
    fn from(value: &Value) -> Self {
        match value {
            Value::String(text) => Self::Text(text.clone()),
            Value::Array(items) => Self::List(items.iter().map(Self::from).collect()),
            Value::Object(map) => {
                let entries = map.iter();
                Self::Map(
                    entries
                        .map(|(key, value)| (key.clone(), value.into()))
                        .collect(),
                )
            }
            plain => Self::plain(plain),
        }
    }
}
