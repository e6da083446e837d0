//! Validation errors of values.

use serde_json::{Map, Number, Value};

use crate::{JsonType, Schema};

/// A part of a value that its schema does not admit.
#[derive(Clone, Debug, PartialEq)]
pub struct Violation {
    /// Where in the value.
    pub path: Vec<Step>,
    /// What is wrong there.
    pub kind: ViolationKind,
    /// True if it is one of `anyOf` or `oneOf` that refuses the value, the one that fits best: the
    /// API server says that besides.
    pub in_branch: bool,
}

/// What is wrong with a part of a value.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum ViolationKind {
    /// It has another type.
    Type {
        /// `string`, `integer,string`, or the format of a number.
        expected: String,
        /// `array`, `null`, or the format of a number where one is expected.
        found: &'static str,
    },
    /// It is a number that its type and format do not hold, or is compared with one.
    Range {
        /// `Checked`, or the bound: `Maximum boundary`.
        number: &'static str,
        /// `integer` or `number`.
        type_: JsonType,
        /// `int32`, `int64` or `float`.
        format: Option<String>,
    },
    /// It is none of the values of `enum`.
    Enum(Vec<Value>),
    /// It is below `minimum`.
    Minimum {
        /// The bound.
        bound: Number,
        /// True if the bound itself is refused.
        exclusive: bool,
    },
    /// It is above `maximum`.
    Maximum {
        /// The bound.
        bound: Number,
        /// True if the bound itself is refused.
        exclusive: bool,
    },
    /// It is no multiple of `multipleOf`.
    MultipleOf(Number),
    /// `multipleOf` is not above 0, for a whole number without its fraction.
    NonPositiveFactor(Number),
    /// It has too much or too little of something.
    Limit(Limit),
    /// It does not match `pattern`.
    Pattern(String),
    /// It is a text without the `format`.
    Format(String),
    /// It is an item that a set has before.
    DuplicateItem,
    /// It is an item of a map list, and no object.
    NotAnObject,
    /// It is an item of a map list, and one before has the same keys.
    DuplicateKeys(Map<String, Value>),
    /// It lacks a required member.
    Required(String),
    /// The schema does not declare it, and the API server prunes it.
    UnknownField,
    /// It has a member that `additionalProperties: false` forbids.
    ForbiddenMember(String),
    /// It is not what `allOf`, `anyOf`, `oneOf` or `not` wants.
    Branches(BranchRule),
}

/// A limit of the length of something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Limit {
    /// It is shorter than `minLength`.
    MinLength(u64),
    /// It is longer than `maxLength`.
    MaxLength(u64),
    /// It has fewer items than `minItems`.
    MinItems(u64),
    /// It has more items than `maxItems`.
    MaxItems(u64),
    /// It has fewer members than `minProperties`.
    MinProperties(u64),
    /// It has more members than `maxProperties`.
    MaxProperties(u64),
}

/// What schemas inside of a schema want together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BranchRule {
    /// No branch of `anyOf` admits it.
    AnyOf,
    /// None or several branches of `oneOf` admit it.
    OneOf {
        /// How many do.
        admitting: usize,
    },
    /// Not every branch of `allOf` admits it.
    AllOf {
        /// True if none does.
        none: bool,
    },
    /// `not` admits it.
    Not,
}

/// One step into a value.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Step {
    /// Into a field of an object.
    Member(String),
    /// Into a value of a map.
    Key(String),
    /// Into an item of a list.
    Item(usize),
}

impl Violation {
    /// What it is about: a part of the value, or a member that is missing there.
    pub(super) fn part(&self) -> (&[Step], Option<&str>) {
        let missing = match &self.kind {
            ViolationKind::Required(name) => Some(name.as_str()),
            _ => None,
        };
        (&self.path, missing)
    }
}

impl ViolationKind {
    /// True if a bound is wrong whatever the value is: beyond the type, or a factor below 0.
    pub(super) fn is_of_bound(&self) -> bool {
        match self {
            Self::Range { number, .. } => *number != "Checked",
            Self::NonPositiveFactor(factor) => factor.as_f64() < Some(0.0),
            _ => false,
        }
    }
}

impl Step {
    /// The step into a member of an object, and the schema of what is there.
    pub(super) fn into_member<'a>(schema: &'a Schema, name: &str) -> Option<(Self, &'a Schema)> {
        let property = schema.properties.get(name);
        let property = property.map(|property| (Self::Member(name.to_owned()), &**property));
        let of_map = schema.additional_properties.as_ref();
        property.or_else(|| of_map.map(|values| (Self::Key(name.to_owned()), &**values)))
    }
}

/// `.ports[1]`
pub fn display(path: &[Step]) -> String {
    let mut out = String::new();
    for step in path {
        match step {
            Step::Member(name) | Step::Key(name) => {
                out.push('.');
                out.push_str(name);
            }
            Step::Item(at) => out.push_str(&format!("[{at}]")),
        }
    }
    out
}
