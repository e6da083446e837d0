//! Two sets of custom resource definitions → what changed between them, and whether it breaks users.
//!
//! ```text
//! texts ─ yaml ─▶ definitions ─ compare ─▶ changes ─ allow ─▶ report
//! ```
//!
//! Plain data in and out: `crd_source` reads the texts.

mod allow;
mod change;
mod compare;
mod definition;
mod kinds;
mod lines;
mod marked;
mod path;
mod report;
mod schema;
mod text;
mod yaml;

pub use allow::Allowance;
pub use change::{Change, Side};
pub use definition::Definition;
pub use kinds::ChangeKind;

pub(crate) use allow::allow;
pub(crate) use change::strict;
pub(crate) use lines::locate;
pub(crate) use report::{human, json_lines, summary};
pub(crate) use text::{Text, is_yaml};
pub(crate) use yaml::{definitions, documents};

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
