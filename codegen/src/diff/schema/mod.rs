//! A schema as it is compared: documentation left out, one spelling for what means the same.
//!
//! The branches of an `allOf` are constraints like any other and stand among those of the schema itself.

mod limit;
mod merge;
mod read;

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Number, Value};

pub(super) use limit::{Bound, Limit, order};
pub(super) use read::root;

/// What a value looks like.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Node {
    pub(super) type_: Option<String>,
    pub(super) int_or_string: bool,
    pub(super) nullable: bool,
    pub(super) default: Option<Value>,
    pub(super) enum_: Option<Vec<Value>>,
    pub(super) bounds: BTreeMap<Bound, Limit>,
    pub(super) multiples: Vec<Number>,
    pub(super) patterns: BTreeSet<String>,
    pub(super) formats: BTreeSet<String>,
    pub(super) any_of: Vec<Alternatives>,
    pub(super) one_of: Vec<Alternatives>,
    pub(super) not: Vec<Alternatives>,
    pub(super) rules: Vec<Rule>,
    pub(super) properties: BTreeMap<String, Node>,
    pub(super) required: BTreeSet<String>,
    pub(super) values: Option<Box<Node>>,
    pub(super) items: Option<Box<Node>>,
    pub(super) keeps_unknown: bool,
    pub(super) embedded_resource: bool,
    pub(super) list_type: Option<String>,
    pub(super) list_map_keys: BTreeSet<String>,
    pub(super) map_type: Option<String>,
}

/// The branches of one `anyOf` or `oneOf`, or what one `not` excludes.
#[derive(Clone, Debug)]
pub(super) struct Alternatives {
    pub(super) branches: Vec<Node>,
    /// As it was written, for people.
    pub(super) written: Value,
}

impl Alternatives {
    /// True if every branch of `other` is one of these.
    pub(super) fn include(&self, other: &Self) -> bool {
        other
            .branches
            .iter()
            .all(|branch| self.branches.contains(branch))
    }
}

/// Their order says nothing.
impl PartialEq for Alternatives {
    fn eq(&self, other: &Self) -> bool {
        self.branches.len() == other.branches.len() && self.include(other) && other.include(self)
    }
}

/// A CEL rule: what decides whether an object is refused, not what is said then.
#[derive(Clone, Debug, Eq)]
pub(super) struct Rule {
    pub(super) text: String,
    pub(super) optional_old_self: bool,
    pub(super) message: Option<String>,
}

impl PartialEq for Rule {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text && self.optional_old_self == other.optional_old_self
    }
}

impl Node {
    /// True if it says nothing of a value but that it is kept.
    pub(super) fn is_anything(&self) -> bool {
        let anything = Self {
            keeps_unknown: true,
            ..Self::default()
        };
        *self == anything
    }

    /// The type in words: `string`, `list of string`, `map of integer`, `integer or string`.
    pub(super) fn words(&self) -> String {
        if self.int_or_string {
            return "integer or string".to_owned();
        }
        match (self.type_.as_deref(), &self.items, &self.values) {
            (Some("array"), Some(items), _) => format!("list of {}", items.words()),
            (Some("object"), _, Some(values)) => format!("map of {}", values.words()),
            (Some(type_), ..) => type_.to_owned(),
            (None, ..) => "anything".to_owned(),
        }
    }
}
