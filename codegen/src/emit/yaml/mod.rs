//! YAML text that YAML 1.1 and 1.2 readers understand alike.
//!
//! One fixed style: lists at their key's indent, `|` blocks for several lines, double quotes where a plain word could be read as
//! anything but a string. Lines are never folded and never end in a space.

mod strings;
#[cfg(test)]
mod tests;

use std::fmt::{Display, Write};

use serde_json::Value;

/// A document, a map, while it is written. Its entries stand in the order in which they are added; one of `None` or of an empty list is
/// left out.
pub(super) struct Yaml {
    out: String,
    /// The indent of what is added.
    indent: usize,
}

impl Yaml {
    /// A document below the text of its header.
    pub(super) fn below(header: String) -> Self {
        Self {
            out: header,
            indent: 0,
        }
    }

    /// The text.
    pub(super) fn finish(self) -> String {
        self.out
    }

    /// An entry with a string.
    pub(super) fn text<'a>(&mut self, key: &str, text: impl Into<Option<&'a str>>) {
        if let Some(text) = text.into() {
            self.key(key);
            self.out.push(' ');
            self.string(text);
        }
    }

    /// An entry with a number or a boolean.
    pub(super) fn plain<T: Display>(&mut self, key: &str, value: Option<T>) {
        if let Some(value) = value {
            self.key(key);
            self.out.push(' ');
            self.display(value);
        }
    }

    /// An entry with any JSON value.
    pub(super) fn value(&mut self, key: &str, value: Option<&Value>) {
        match value {
            None => {}
            Some(Value::String(text)) => self.text(key, text.as_str()),
            Some(Value::Object(map)) => self.map(key, |yaml| yaml.entries(map)),
            Some(Value::Array(items)) if !items.is_empty() => self.values(key, items),
            Some(value) => self.plain(key, Some(value)),
        }
    }

    /// An entry with a map.
    pub(super) fn map(&mut self, key: &str, entries: impl FnOnce(&mut Self)) {
        self.key(key);
        let end = self.out.len();
        self.out.push('\n');
        self.deeper(entries);
        if self.out.len() == end + 1 {
            self.out.truncate(end);
            self.out.push_str(" {}\n");
        }
    }

    /// An entry with a list of maps.
    pub(super) fn maps<T>(
        &mut self,
        key: &str,
        items: impl IntoIterator<Item = T>,
        entries: impl Fn(&mut Self, T),
    ) {
        self.list(key, items, |yaml, item| {
            yaml.map_item(|yaml| entries(yaml, item));
        });
    }

    /// An entry with a list of strings.
    pub(super) fn texts<'a>(&mut self, key: &str, items: impl IntoIterator<Item = &'a String>) {
        self.list(key, items, |yaml, text| yaml.string(text));
    }

    /// An entry with a list of JSON values.
    pub(super) fn values(&mut self, key: &str, items: &[Value]) {
        self.list(key, items, Self::item);
    }

    fn list<T>(
        &mut self,
        key: &str,
        items: impl IntoIterator<Item = T>,
        item: impl Fn(&mut Self, T),
    ) {
        let mut items = items.into_iter().peekable();
        if items.peek().is_some() {
            self.key(key);
            self.out.push('\n');
            self.items(items, item);
        }
    }

    fn items<T>(&mut self, items: impl IntoIterator<Item = T>, item: impl Fn(&mut Self, T)) {
        for value in items {
            self.start();
            self.out.push_str("- ");
            item(self, value);
        }
    }

    fn item(&mut self, value: &Value) {
        match value {
            Value::String(text) => self.string(text),
            Value::Object(map) => self.map_item(|yaml| yaml.entries(map)),
            Value::Array(items) if !items.is_empty() => {
                self.deeper(|yaml| yaml.items(items, Self::item));
            }
            value => self.display(value),
        }
    }

    fn map_item(&mut self, entries: impl FnOnce(&mut Self)) {
        let start = self.out.len();
        self.deeper(entries);
        if self.out.len() == start {
            self.out.push_str("{}\n");
        }
    }

    fn entries(&mut self, map: &serde_json::Map<String, Value>) {
        for (key, value) in map {
            self.value(key, Some(value));
        }
    }

    fn deeper(&mut self, write: impl FnOnce(&mut Self)) {
        self.indent += 2;
        write(self);
        self.indent -= 2;
    }

    /// A reader looks no further than 1024 characters for the colon after a key; a longer one is marked.
    fn key(&mut self, key: &str) {
        self.start();
        let start = self.out.len();
        strings::line(key, &mut self.out);
        if self.out.len() - start > 1000 {
            self.out.insert_str(start, "? ");
            self.out.push('\n');
            self.start();
        }
        self.out.push(':');
    }

    /// Indents, unless a dash stands before.
    fn start(&mut self) {
        if self.out.ends_with('\n') {
            strings::pad(self.indent, &mut self.out);
        }
    }

    fn string(&mut self, text: &str) {
        strings::lines(text, self.indent + 2, &mut self.out);
        self.out.push('\n');
    }

    fn display(&mut self, value: impl Display) {
        // A string takes everything.
        let _ = writeln!(self.out, "{value}");
    }
}
