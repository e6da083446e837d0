//! Layout of a Rust file: its sections, and the common header.

use super::uses::Uses;
use super::wrap::wrap;
use crate::header::HEADER;

/// A Rust file before layout.
#[derive(Default)]
pub(super) struct RustFile {
    /// The module documentation, one line each.
    pub(super) docs: Vec<String>,
    /// `mod` items.
    pub(super) modules: String,
    /// Imports.
    pub(super) uses: Uses,
    /// Items with multi-line text, which is not wrapped.
    pub(super) verbatim: String,
    /// All other items, each statement on one line.
    pub(super) items: String,
}

/// The text of a Rust file.
pub(super) fn file(boilerplate: &[String], source: &RustFile) -> String {
    let docs = source.docs.iter().map(|line| comment("//!", line));
    let mut sections = vec![header("//", boilerplate), docs.collect()];
    sections.push(source.modules.clone());
    sections.extend(source.uses.sections());
    sections.push(source.verbatim.clone());
    sections.push(wrap(&source.items));
    sections.retain(|section| !section.is_empty());
    sections.join("\n")
}

/// The boilerplate and the header of generated files, as comments.
pub(super) fn header(mark: &str, boilerplate: &[String]) -> String {
    let mut text: String = boilerplate.iter().map(|line| comment(mark, line)).collect();
    if !text.is_empty() {
        text.push('\n');
    }
    text.push_str(&comment(mark, HEADER));
    text
}

/// The lines of a doc comment.
pub(super) fn docs<'a>(lines: impl IntoIterator<Item = &'a str>) -> String {
    lines.into_iter().map(|line| comment("///", line)).collect()
}

fn comment(mark: &str, line: &str) -> String {
    format!("{mark} {line}").trim_end().to_owned() + "\n"
}
