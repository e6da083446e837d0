//! Serializer of [`YamlNode`]s to text, in one fixed style.

use super::node::YamlNode;
use super::strings;

/// Returns the text of a document whose root is a map.
pub(super) fn write_document(node: &YamlNode) -> String {
    let mut writer = Writer::default();
    if let YamlNode::Map(entries) = node {
        writer.entries(entries);
    }
    writer.out
}

#[derive(Default)]
struct Writer {
    out: String,
    indent: usize,
}

impl Writer {
    fn entries(&mut self, entries: &[(String, YamlNode)]) {
        for (key, value) in entries {
            self.entry(key, value);
        }
    }

    fn entry(&mut self, key: &str, value: &YamlNode) {
        if let YamlNode::Between(lines, value) = value {
            self.line(&lines.above);
            self.entry(key, value);
            self.line(&lines.below);
            return;
        }
        self.key(key);
        match value {
            YamlNode::Map(entries) if !entries.is_empty() => {
                self.out.push('\n');
                self.deeper(|writer| writer.entries(entries));
            }
            YamlNode::List(items) if !items.is_empty() => {
                self.out.push('\n');
                self.items(items);
            }
            scalar => {
                self.out.push(' ');
                self.scalar(scalar);
            }
        }
    }

    fn items(&mut self, items: &[YamlNode]) {
        for item in items {
            self.item(item);
        }
    }

    fn item(&mut self, item: &YamlNode) {
        if let YamlNode::Between(lines, item) = item {
            self.line(&lines.above);
            self.item(item);
            self.line(&lines.below);
            return;
        }
        self.start();
        self.out.push_str("- ");
        match item {
            YamlNode::Map(entries) if !entries.is_empty() => {
                self.deeper(|writer| writer.entries(entries));
            }
            YamlNode::List(items) if !items.is_empty() => self.deeper(|writer| writer.items(items)),
            scalar => self.scalar(scalar),
        }
    }

    /// Writes a scalar or an empty map or list, beginning on the line of its key or dash.
    fn scalar(&mut self, value: &YamlNode) {
        match value {
            YamlNode::Text(text) => strings::write_string(text, self.indent + 2, &mut self.out),
            YamlNode::Plain(text) => self.out.push_str(text),
            YamlNode::List(_) => self.out.push_str("[]"),
            YamlNode::Map(_) | YamlNode::Between(..) => self.out.push_str("{}"),
        }
        self.out.push('\n');
    }

    /// Writes a line of a template without indentation.
    fn line(&mut self, line: &str) {
        self.out.push_str(line);
        self.out.push('\n');
    }

    fn deeper(&mut self, write: impl FnOnce(&mut Self)) {
        self.indent += 2;
        write(self);
        self.indent -= 2;
    }

    /// Writes a key and its colon. In YAML, a key of more than 1024 characters has the prefix `? `,
    /// and the colon is on the next line. Here, this applies to keys of more than 1000 bytes.
    fn key(&mut self, key: &str) {
        self.start();
        let start = self.out.len();
        strings::write_line(key, &mut self.out);
        if self.out.len() - start > 1000 {
            self.out.insert_str(start, "? ");
            self.out.push('\n');
            self.start();
        }
        self.out.push(':');
    }

    /// Indents an empty line. A line with a dash is continued.
    fn start(&mut self) {
        if self.out.is_empty() || self.out.ends_with('\n') {
            strings::write_indent(self.indent, &mut self.out);
        }
    }
}
