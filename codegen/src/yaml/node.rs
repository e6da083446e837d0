//! [`YamlNode`]: a YAML document as data.

use std::fmt::Display;

use serde_json::Value;

/// A YAML value. Map entries keep their insertion order.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum YamlNode {
    /// A string.
    Text(String),
    /// A number, a boolean, null, or a template expression, written verbatim.
    Plain(String),
    /// A list.
    List(Vec<YamlNode>),
    /// A map.
    Map(Vec<(String, YamlNode)>),
    /// An entry or item between two template lines.
    Between(Lines, Box<YamlNode>),
}

/// Template lines around an entry or item.
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
