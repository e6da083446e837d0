//! Normalized schema of a value.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Number, Value};

use super::limit::{Bound, Limit};
use genclient_schema::cel::RuleTokens;

#[derive(Clone, Debug, Default, PartialEq)]
pub(in crate::diff) struct Node {
    pub(in crate::diff) type_: Option<String>,
    pub(in crate::diff) int_or_string: bool,
    pub(in crate::diff) nullable: bool,
    pub(in crate::diff) default: Option<Value>,
    pub(in crate::diff) enum_: Option<Vec<Value>>,
    pub(in crate::diff) bounds: BTreeMap<Bound, Limit>,
    pub(in crate::diff) multiples: Vec<Number>,
    pub(in crate::diff) patterns: BTreeSet<String>,
    pub(in crate::diff) formats: BTreeSet<String>,
    pub(in crate::diff) any_of: Vec<Alternatives>,
    pub(in crate::diff) one_of: Vec<Alternatives>,
    pub(in crate::diff) not: Vec<Alternatives>,
    pub(in crate::diff) rules: Vec<Rule>,
    pub(in crate::diff) properties: BTreeMap<String, Node>,
    pub(in crate::diff) required: BTreeSet<String>,
    pub(in crate::diff) values: Option<Box<Node>>,
    pub(in crate::diff) items: Option<Box<Node>>,
    pub(in crate::diff) keeps_unknown: bool,
    pub(in crate::diff) embedded_resource: bool,
    pub(in crate::diff) list_type: Option<String>,
    pub(in crate::diff) list_map_keys: BTreeSet<String>,
    pub(in crate::diff) map_type: Option<String>,
}

/// The branches of one `anyOf` or `oneOf`, or the schema that one `not` excludes.
#[derive(Clone, Debug)]
pub(in crate::diff) struct Alternatives {
    pub(in crate::diff) branches: Vec<Node>,
    /// The original schema, for reports.
    pub(in crate::diff) written: Value,
}

impl Alternatives {
    /// True if every branch of `other` is also a branch of `self`.
    pub(in crate::diff) fn include(&self, other: &Self) -> bool {
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
pub(in crate::diff) struct Rule {
    /// The original text, on one line where that does not change its meaning.
    pub(in crate::diff) text: String,
    /// The tokens of `text`; `None` if it is not CEL.
    pub(in crate::diff) tokens: Option<RuleTokens>,
    pub(in crate::diff) optional_old_self: bool,
    pub(in crate::diff) message: Option<String>,
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
    pub(in crate::diff) fn is_anything(&self) -> bool {
        let anything = Self {
            nullable: self.nullable,
            ..Self::anything()
        };
        *self == anything
    }

    /// The schema of the values, if this is the schema of a map. A schema without properties that
    /// preserves unknown fields counts as a map of anything.
    pub(in crate::diff) fn entries(&self) -> Option<Cow<'_, Self>> {
        match &self.values {
            Some(values) => Some(Cow::Borrowed(values)),
            None if self.keeps_unknown && self.properties.is_empty() => {
                Some(Cow::Owned(Self::anything()))
            }
            None => None,
        }
    }

    /// The type in words: `string`, `list of string`, `map of integer`, `integer or string`.
    pub(in crate::diff) fn words(&self) -> String {
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
