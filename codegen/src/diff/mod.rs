//! Comparison of two sets of custom resource definitions: changes, and whether they break users.
//!
//! ```text
//! texts ─ yaml ─▶ definitions ─ compare ─▶ changes ─ allow ─▶ report
//! ```
//!
//! This module reads no files: `crd_source` supplies the texts.

mod allow;
mod change;
mod compare;
mod definition;
mod kinds;
mod lines;
mod marked;
mod report;
mod schema;
mod text;
mod yaml;

use genclient_schema::yaml::ReadError;

pub use allow::Allowance;
pub(crate) use allow::allow;
pub(crate) use change::strict;
pub use change::{Change, Side};
pub use definition::Definition;
pub use kinds::ChangeKind;
pub(crate) use lines::locate;
pub(crate) use report::{human, json_lines, summary};
pub(crate) use text::{Text, is_yaml};
pub(crate) use yaml::definitions;

/// Compares two sets of definitions. Changes are sorted by definition; the breaking changes of each
/// come first.
pub fn compare(old: &[Definition], new: &[Definition]) -> Vec<Change> {
    compare::compare(old, new)
}

/// Reads the definitions in YAML documents and skips all other documents.
///
/// # Errors
///
/// The text is not YAML, or contains a definition twice or in an API version other than
/// `apiextensions.k8s.io/v1`.
pub fn parse(text: &str) -> Result<Vec<Definition>, Vec<ReadError>> {
    definitions(vec![text::Text {
        package: None,
        place: "the text".to_owned(),
        text: text.to_owned(),
    }])
}
