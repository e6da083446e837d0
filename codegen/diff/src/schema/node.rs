//! Normalized schema of a value.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use genclient_cel::RuleTokens;
use serde_json::{Number, Value};

use super::limit::{Bound, Limit};

#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Node {
    pub(crate) type_: Option<String>,
    pub(crate) int_or_string: bool,
    pub(crate) nullable: bool,
    pub(crate) default: Option<Value>,
    pub(crate) enum_: Option<Vec<Value>>,
    pub(crate) bounds: BTreeMap<Bound, Limit>,
    pub(crate) multiples: Vec<Number>,
    pub(crate) patterns: BTreeSet<String>,
    pub(crate) formats: BTreeSet<String>,
    pub(crate) any_of: Vec<Alternatives>,
    pub(crate) one_of: Vec<Alternatives>,
    pub(crate) not: Vec<Alternatives>,
    pub(crate) rules: Vec<Rule>,
    pub(crate) properties: BTreeMap<String, Node>,
    pub(crate) required: BTreeSet<String>,
    pub(crate) values: Option<Box<Node>>,
    pub(crate) items: Option<Box<Node>>,
    pub(crate) keeps_unknown: bool,
    pub(crate) embedded_resource: bool,
    pub(crate) list_type: Option<String>,
    pub(crate) list_map_keys: BTreeSet<String>,
    pub(crate) map_type: Option<String>,
}

/// The branches of one `anyOf` or `oneOf`, or the schema that one `not` excludes.
#[derive(Clone, Debug)]
pub(crate) struct Alternatives {
    pub(crate) branches: Vec<Node>,
    /// The original schema for reports, without documentation and keywords that the API server
    /// rejects.
    pub(crate) written: Value,
}

impl Alternatives {
    /// True if every branch of `other` is also a branch of `self`.
    pub(crate) fn include(&self, other: &Self) -> bool {
        other
            .branches
            .iter()
            .all(|branch| self.branches.contains(branch))
    }
}

/// The order of branches has no meaning.
impl PartialEq for Alternatives {
    fn eq(&self, other: &Self) -> bool {
        self.branches.len() == other.branches.len() && self.include(other) && other.include(self)
    }
}

/// A CEL rule. Equality compares tokens and `optional_old_self`, but not messages.
#[derive(Clone, Debug)]
pub(crate) struct Rule {
    /// The original text, on one line where that does not change its meaning.
    pub(crate) text: String,
    /// The tokens of `text`; `None` if it is not CEL.
    pub(crate) tokens: Option<RuleTokens>,
    pub(crate) optional_old_self: bool,
    pub(crate) message: Option<String>,
}

impl PartialEq for Rule {
    fn eq(&self, other: &Self) -> bool {
        let same = match (&self.tokens, &other.tokens) {
            (None, None) => self.text == other.text,
            (one, other) => one == other,
        };
        same && self.optional_old_self == other.optional_old_self
    }
}

impl Node {
    /// A schema that accepts any value and preserves it.
    fn anything() -> Self {
        Self {
            keeps_unknown: true,
            nullable: true,
            ..Self::default()
        }
    }

    /// True if the schema accepts any value and preserves it. Whether it accepts null does not
    /// matter.
    pub(crate) fn is_anything(&self) -> bool {
        let anything = Self {
            nullable: self.nullable,
            ..Self::anything()
        };
        *self == anything
    }

    /// The schema of the values, if this is the schema of a map. A schema without properties that
    /// preserves unknown fields counts as a map of anything.
    pub(crate) fn entries(&self) -> Option<Cow<'_, Self>> {
        match &self.values {
            Some(values) => Some(Cow::Borrowed(values)),
            None if self.keeps_unknown && self.properties.is_empty() => {
                Some(Cow::Owned(Self::anything()))
            }
            None => None,
        }
    }

    /// The type in words: `string`, `list of string`, `map of integer`, `integer or string`.
    pub(crate) fn words(&self) -> String {
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
