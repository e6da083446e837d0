//! Table of all attributes and keys of the grammar.
//!
//! `genclient explain` prints [`TABLE`]. Suggestions for unknown keys and the checks of value,
//! target and repetition read it.
//!
//! ```
//! use genclient_syntax::table;
//!
//! let names: Vec<_> = table::find("+listType").map(|entry| entry.name).collect();
//! assert_eq!(names, ["list_type"]);
//! ```

mod attribute;
mod form;
mod key;
mod rbac;
mod resource;
mod schema;
mod served;
mod webhook;

use std::sync::LazyLock;

pub use attribute::{Applies, Attribute, Within};
pub use form::{Argument, Form, Value};
pub(crate) use key::Key;
pub(crate) use resource::{PRINTCOLUMN, SCALE};

/// All attributes and keys, in the order of `genclient explain`.
pub static TABLE: LazyLock<Vec<Attribute>> = LazyLock::new(|| {
    [
        served::ATTRIBUTES,
        webhook::ATTRIBUTES,
        rbac::ATTRIBUTES,
        resource::ATTRIBUTES,
        schema::ATTRIBUTES,
    ]
    .concat()
});

/// Returns the entries whose name or Go marker is `name`. A leading `+` is ignored.
pub fn find(name: &str) -> impl Iterator<Item = &'static Attribute> {
    let name = name.trim_start_matches('+');
    TABLE
        .iter()
        .filter(move |entry| entry.name == name || entry.go_marker == Some(name))
}

/// Returns the entry `name` within one attribute.
pub(crate) fn entry(within: Within, name: &str) -> Option<&'static Attribute> {
    TABLE
        .iter()
        .find(|entry| entry.within == within && entry.name == name)
}

/// Returns the name closest to a misspelt one, for a "did you mean".
pub fn suggest(name: &str) -> Option<&'static str> {
    crate::suggest::closest(name, TABLE.iter().map(|entry| entry.name))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::TABLE;

    #[test]
    fn every_entry_has_a_summary_and_an_example() {
        for entry in TABLE.iter() {
            assert!(!entry.summary.is_empty(), "{} has no summary", entry.name);
            assert!(
                entry.summary.ends_with('.'),
                "{}: the summary is not a sentence",
                entry.name
            );
            assert!(!entry.example.is_empty(), "{} has no example", entry.name);
            assert!(
                entry.example.contains(entry.name),
                "{} is not in its example",
                entry.name
            );
            assert!(!entry.targets.is_empty(), "{} has no target", entry.name);
        }
    }

    #[test]
    fn names_are_unique_within_their_attribute() {
        let names: BTreeSet<_> = TABLE
            .iter()
            .map(|entry| (entry.within, entry.name))
            .collect();
        assert_eq!(names.len(), TABLE.len());
    }
}
