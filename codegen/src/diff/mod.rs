//! Two sets of custom resource definitions → what changed between them, and whether it breaks users.
//!
//! ```text
//! a revision, a folder, a file, the current types ─ read ─▶ texts ─ yaml ─▶ definitions ─ compare ─▶ changes ─ allow ─▶ report
//! ```
//!
//! `read` is the only stage with input, through `revision` and `git`. The later stages are plain
//! data in and out.

mod absent;
mod allow;
mod change;
mod compare;
mod definition;
mod git;
mod kinds;
mod lines;
mod marked;
mod path;
mod read;
mod report;
mod revision;
mod schema;
mod source;
mod text;
mod yaml;

pub use allow::Allowance;
pub use change::{Change, Side};
pub use definition::Definition;
pub use kinds::Kind;
pub use source::Source;

pub(crate) use absent::{no_definitions, no_old_definitions};
pub(crate) use allow::allow;
pub(crate) use change::strict;
pub(crate) use lines::locate;
pub(crate) use read::read;
pub(crate) use report::{human, json_lines, summary};
pub(crate) use yaml::definitions;

/// What changed from `old` to `new`, by definition, the breaking changes of each first.
pub fn compare(old: &[Definition], new: &[Definition]) -> Vec<Change> {
    compare::compare(old, new)
}

/// Reads the definitions in YAML documents; whatever else stands in them is skipped.
///
/// # Errors
///
/// The text is no YAML, or holds a definition of a version that cannot be compared.
pub fn parse(text: &str) -> Result<Vec<Definition>, crate::Diagnostics> {
    definitions(vec![text::Text {
        package: None,
        place: "the text".to_owned(),
        text: text.to_owned(),
    }])
}
