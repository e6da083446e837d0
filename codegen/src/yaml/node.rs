//! [`YamlNode`]: a YAML document as data, and [`Yaml`], a builder of YAML maps.

use std::fmt::Display;

use serde_json::Value;

/// A YAML value. Map entries keep their insertion order.
#[derive(Clone, Debug, PartialEq)]
pub enum YamlNode {
    /// A string, quoted where necessary.
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
pub struct Lines {
    /// The line above.
    pub above: String,
    /// The line below.
    pub below: String,
}

impl YamlNode {
    /// A value that is written verbatim, such as a number.
    pub fn plain(value: impl Display) -> Self {
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
pub struct Yaml {
    entries: Vec<(String, YamlNode)>,
}

impl Yaml {
    /// Returns the map.
    pub fn finish(self) -> YamlNode {
        YamlNode::Map(self.entries)
    }

    /// Builds a map by a function that adds the entries.
    pub fn build(entries: impl FnOnce(&mut Self)) -> YamlNode {
        let mut yaml = Self::default();
        entries(&mut yaml);
        yaml.finish()
    }

    /// Adds an entry.
    pub fn node(&mut self, key: &str, node: YamlNode) {
        self.entries.push((key.to_owned(), node));
    }

    /// Adds a string.
    pub fn text<'a>(&mut self, key: &str, text: impl Into<Option<&'a str>>) {
        if let Some(text) = text.into() {
            self.node(key, YamlNode::Text(text.to_owned()));
        }
    }

    /// Adds a value that is written verbatim.
    pub fn plain<T: Display>(&mut self, key: &str, value: Option<T>) {
        if let Some(value) = value {
            self.node(key, YamlNode::plain(value));
        }
    }

    /// Adds a JSON value.
    pub fn value(&mut self, key: &str, value: Option<&Value>) {
        if let Some(value) = value {
            self.node(key, value.into());
        }
    }

    /// Adds a map.
    pub fn map(&mut self, key: &str, entries: impl FnOnce(&mut Self)) {
        self.node(key, Self::build(entries));
    }

    /// Adds a list of maps.
    pub fn maps<T>(
        &mut self,
        key: &str,
        items: impl IntoIterator<Item = T>,
        entries: impl Fn(&mut Self, T),
    ) {
        let items = items.into_iter();
        self.list(
            key,
            items.map(|item| Self::build(|yaml| entries(yaml, item))),
        );
    }

    /// Adds a list of strings.
    pub fn texts<'a>(&mut self, key: &str, items: impl IntoIterator<Item = &'a String>) {
        let items = items.into_iter();
        self.list(key, items.map(|text| YamlNode::Text(text.clone())));
    }

    fn list(&mut self, key: &str, items: impl Iterator<Item = YamlNode>) {
        let items: Vec<_> = items.collect();
        if !items.is_empty() {
            self.node(key, YamlNode::List(items));
        }
    }
}
