//! [`YamlNode`]: a YAML document as data, and [`Yaml`], a builder of YAML maps.

use std::fmt::Display;

use serde_json::Value;

/// A YAML value. Map entries keep their insertion order.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum YamlNode {
    Text(String),
    /// A number, a boolean, null, or a template expression, written verbatim.
    Plain(String),
    List(Vec<YamlNode>),
    Map(Vec<(String, YamlNode)>),
    /// An entry or item between two template lines.
    Between(Lines, Box<YamlNode>),
}

/// Template lines around an entry or item.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Lines {
    pub(crate) above: String,
    pub(crate) below: String,
}

impl YamlNode {
    /// A value that is written verbatim, such as a number.
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

/// A builder of a map. `None` and empty lists are omitted.
#[derive(Default)]
pub(crate) struct Yaml {
    entries: Vec<(String, YamlNode)>,
}

impl Yaml {
    pub(crate) fn finish(self) -> YamlNode {
        YamlNode::Map(self.entries)
    }

    /// Builds a map by a function that adds the entries.
    pub(crate) fn of(entries: impl FnOnce(&mut Self)) -> YamlNode {
        let mut yaml = Self::default();
        entries(&mut yaml);
        yaml.finish()
    }

    pub(crate) fn node(&mut self, key: &str, node: YamlNode) {
        self.entries.push((key.to_owned(), node));
    }

    pub(crate) fn text<'a>(&mut self, key: &str, text: impl Into<Option<&'a str>>) {
        if let Some(text) = text.into() {
            self.node(key, YamlNode::Text(text.to_owned()));
        }
    }

    pub(crate) fn plain<T: Display>(&mut self, key: &str, value: Option<T>) {
        if let Some(value) = value {
            self.node(key, YamlNode::plain(value));
        }
    }

    pub(crate) fn value(&mut self, key: &str, value: Option<&Value>) {
        if let Some(value) = value {
            self.node(key, value.into());
        }
    }

    pub(crate) fn map(&mut self, key: &str, entries: impl FnOnce(&mut Self)) {
        self.node(key, Self::of(entries));
    }

    pub(crate) fn maps<T>(
        &mut self,
        key: &str,
        items: impl IntoIterator<Item = T>,
        entries: impl Fn(&mut Self, T),
    ) {
        let items = items.into_iter();
        self.list(key, items.map(|item| Self::of(|yaml| entries(yaml, item))));
    }

    pub(crate) fn texts<'a>(&mut self, key: &str, items: impl IntoIterator<Item = &'a String>) {
        let items = items.into_iter();
        self.list(key, items.map(|text| YamlNode::Text(text.clone())));
    }

    pub(crate) fn values(&mut self, key: &str, items: &[Value]) {
        self.list(key, items.iter().map(YamlNode::from));
    }

    fn list(&mut self, key: &str, items: impl Iterator<Item = YamlNode>) {
        let items: Vec<_> = items.collect();
        if !items.is_empty() {
            self.node(key, YamlNode::List(items));
        }
    }
}
