//! Comparison of two sets of custom resource definitions: changes, and whether they break users.
//!
//! ```text
//! Text ─ parse_all ─▶ Definition ─ compare ─▶ Change ─ mark_strict, mark_allowed ─▶ Change::fails
//! ```
//!
//! The crate reads no files: its callers supply the texts.
//!
//! - [`parse_all`] and [`parse`] read definitions in YAML.
//! - [`compare`] returns the changes, each with its kind, its reason and whether it breaks users.
//! - [`mark_strict`] and [`mark_allowed`] decide which changes fail a comparison. [`locate`] adds
//!   their files and lines.

mod change;
mod compare;
mod definition;
mod kinds;
mod lines;
mod path;
mod schema;

use genclient_schema::yaml::ReadError;

pub use change::{Allowance, Change, Side, mark_allowed, mark_strict};
pub use definition::{Definition, Text, parse_all};
pub use kinds::ChangeKind;
pub use lines::locate;

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
    parse_all(vec![Text {
        package: None,
        label: "the text".to_owned(),
        text: text.to_owned(),
    }])
}
