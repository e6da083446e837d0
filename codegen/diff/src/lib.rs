//! Comparison of two sets of custom resource definitions: changes, and whether they break users.
//!
//! ```text
//! texts ─ definitions ─▶ Definition ─ compare ─▶ Change ─ allow ─▶ fails
//! ```
//!
//! The crate reads no files: its callers supply the texts.
//!
//! - [`definitions`] and [`parse`] read definitions in YAML.
//! - [`compare`] returns the changes, each with its kind, its reason and whether it breaks users.
//! - [`strict`] and [`allow`] decide which changes fail a comparison. [`locate`] adds their files
//!   and lines.

mod allow;
mod change;
mod compare;
mod definition;
mod kinds;
mod lines;
mod marked;
mod schema;
mod text;
mod yaml;

use genclient_schema::yaml::ReadError;

pub use allow::{Allowance, allow};
pub use change::{Change, Side, strict};
pub use definition::Definition;
pub use kinds::ChangeKind;
pub use lines::locate;
pub use text::Text;
pub use yaml::definitions;

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
