//! Table of every attribute and key of the grammar.
//!
//! Suggestions for unknown keys, the checks of value, site and repetition, and `genclient explain`
//! all read [`TABLE`].
//!
//! ```
//! use genclient_syntax::table;
//!
//! let names: Vec<_> = table::find("+listType").map(|entry| entry.name).collect();
//! assert_eq!(names, ["list_type"]);
//! ```

mod form;
mod key;
mod resource;
mod schema;
mod served;

use std::fmt;
use std::sync::LazyLock;

pub use form::{Argument, Form, Value};
pub(crate) use key::Key;

use crate::{Shape, Site};

/// One attribute, or one key inside `#[genclient(…)]` or `#[crd(…)]`.
#[derive(Clone, Copy, Debug)]
pub struct Attribute {
    /// Name as it is written.
    pub name: &'static str,
    /// What it stands in.
    pub within: Within,
    /// What is written after the name.
    pub form: Form,
    /// Where it may stand.
    pub sites: &'static [Site],
    /// Which types it makes sense for.
    pub applies: Applies,
    /// Whether it may be written more than once.
    pub repeats: bool,
    /// One sentence: what it does.
    pub summary: &'static str,
    /// The fine print, or nothing.
    pub details: &'static str,
    /// The comment marker that Go's tools use for the same thing, without its `+`.
    pub go_marker: Option<&'static str>,
    /// A line to copy.
    pub example: &'static str,
}

/// What an attribute stands in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Within {
    /// By itself: `#[group = ".."]`.
    Item,
    /// `#[genclient(…)]`
    Genclient,
    /// `#[crd(…)]`
    Crd,
}

impl fmt::Display for Within {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Item => "the item",
            Self::Genclient => "#[genclient(..)]",
            Self::Crd => "#[crd(..)]",
        })
    }
}

/// Which types a key makes sense for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Applies {
    /// Any.
    All,
    /// Integers and floats.
    Numbers,
    /// Strings and int-or-string.
    Strings,
    /// Lists.
    Lists,
    /// Maps.
    Maps,
    /// Maps and structs.
    Objects,
    /// Structs.
    Structs,
}

impl Applies {
    /// Whether the key applies to types of this shape. An unknown shape is admitted.
    pub fn admits(self, shape: &Shape) -> bool {
        match self {
            _ if *shape == Shape::Unknown => true,
            Self::All => true,
            Self::Numbers => matches!(shape, Shape::Integer | Shape::Number),
            Self::Strings => matches!(shape, Shape::String | Shape::Enum),
            Self::Lists => matches!(shape, Shape::List(_)),
            Self::Maps => matches!(shape, Shape::Map(_)),
            Self::Objects => matches!(shape, Shape::Map(_) | Shape::Struct | Shape::Enum),
            Self::Structs => matches!(shape, Shape::Struct | Shape::Enum),
        }
    }
}

impl fmt::Display for Applies {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::All => "all types",
            Self::Numbers => "numbers",
            Self::Strings => "strings",
            Self::Lists => "lists",
            Self::Maps => "maps",
            Self::Objects => "maps and structs",
            Self::Structs => "structs",
        })
    }
}

/// Every attribute and key, in the order of explanation.
pub static TABLE: LazyLock<Vec<Attribute>> =
    LazyLock::new(|| [served::ATTRIBUTES, resource::ATTRIBUTES, schema::ATTRIBUTES].concat());

/// The entries of that name, or of that Go marker (with or without its `+`).
pub fn find(name: &str) -> impl Iterator<Item = &'static Attribute> {
    let name = name.trim_start_matches('+');
    TABLE
        .iter()
        .filter(move |entry| entry.name == name || entry.go_marker == Some(name))
}

/// The names that are close to one that does not exist, for a "did you mean".
pub fn suggest(name: &str) -> Option<&'static str> {
    crate::suggest::closest(name, TABLE.iter().map(|entry| entry.name))
}

impl Attribute {
    /// Syntax of the attribute with a placeholder for its value: `min_length = 1`, `scale(..)`.
    pub fn usage(&self) -> String {
        self.form.usage(self.name)
    }

    const fn new(within: Within, key: Key, form: Form, sites: &'static [Site]) -> Self {
        Self {
            name: key.as_str(),
            within,
            form,
            sites,
            applies: Applies::All,
            repeats: false,
            summary: "",
            details: "",
            go_marker: None,
            example: "",
        }
    }

    const fn summary(mut self, summary: &'static str) -> Self {
        self.summary = summary;
        self
    }

    const fn details(mut self, details: &'static str) -> Self {
        self.details = details;
        self
    }

    const fn applies(mut self, applies: Applies) -> Self {
        self.applies = applies;
        self
    }

    const fn repeats(mut self) -> Self {
        self.repeats = true;
        self
    }

    const fn go(mut self, marker: &'static str) -> Self {
        self.go_marker = Some(marker);
        self
    }

    const fn example(mut self, example: &'static str) -> Self {
        self.example = example;
        self
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::TABLE;

    #[test]
    fn every_entry_explains_itself() {
        for entry in TABLE.iter() {
            assert!(!entry.summary.is_empty(), "{} has no summary", entry.name);
            assert!(
                entry.summary.ends_with('.'),
                "{}: the summary is a sentence",
                entry.name
            );
            assert!(!entry.example.is_empty(), "{} has no example", entry.name);
            assert!(
                entry.example.contains(entry.name),
                "{}: the example shows it",
                entry.name
            );
            assert!(
                !entry.sites.is_empty(),
                "{} may stand somewhere",
                entry.name
            );
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
