//! YAML text that YAML 1.1 and 1.2 readers understand alike.
//!
//! One fixed style: lists at their key's indent, `|` blocks for several lines, double quotes where
//! a plain word could be read as anything but a string. Lines are never folded and never end in a
//! space.

mod builder;
mod node;
mod strings;
#[cfg(test)]
mod tests;
mod writer;

pub(crate) use builder::Yaml;
pub(crate) use node::{Lines, YamlNode};

/// The text of a document, which is a map.
pub(crate) fn text(document: &YamlNode) -> String {
    writer::document(document)
}
