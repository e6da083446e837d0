//! YAML serializer with output that YAML 1.1 and 1.2 parsers read alike.
//!
//! There is one fixed style: lists at the indentation of their key, `|` blocks for multi-line
//! strings, and double quotes where a plain scalar could be read as something else than a string.
//! Lines are never folded and never end in a space.

mod node;
mod strings;
mod writer;

#[cfg(test)]
mod tests;

pub use node::{Lines, Yaml, YamlNode};

/// The text of a document, which must be a map.
pub fn render_document(document: &YamlNode) -> String {
    writer::write_document(document)
}
