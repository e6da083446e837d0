//! Validation errors of values.

use serde_json::{Map, Number, Value};

use crate::{JsonType, Schema};

/// A violation: a part of a value that its schema rejects.
#[derive(Clone, Debug, PartialEq)]
pub struct Violation {
    /// Path to the part.
    pub path: Vec<Step>,
    /// Kind of violation.
    pub kind: ViolationKind,
    /// True for violations of the best matching branch of `anyOf` or `oneOf`. The API server
    /// reports them in addition to the violation of `anyOf` or `oneOf` itself.
    pub in_branch: bool,
}

/// Kind of violation of a part of a value.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum ViolationKind {
    /// The part does not have the type of its schema.
    Type {
        /// The types of the schema, such as `string` or `integer,string`. If the API server checks
        /// the format, such as `date-time`, this is the format instead, except for a string, list,
        /// null, or number that has the format (3 has `int64`).
        expected: String,
        /// The type of the part, such as `array` or `null`. If `expected` is a format, `found` is a
        /// format as well: `int64` or `float64` for a number, empty for other values.
        found: &'static str,
    },
    /// The number or a bound is out of range of the schema's type and format.
    Range {
        /// `Checked` if the number is out of range, or the name of the bound that is out of range,
        /// such as `Maximum boundary`.
        number: &'static str,
        /// `integer` or `number`.
        type_: JsonType,
        /// `int32`, `int64` or `float`.
        format: Option<String>,
    },
    /// The part is not one of the values of `enum`.
    Enum(Vec<Value>),
    /// The part is below `minimum`.
    Minimum {
        /// The bound.
        bound: Number,
        /// True if the bound itself is rejected.
        exclusive: bool,
    },
    /// The part is above `maximum`.
    Maximum {
        /// The bound.
        bound: Number,
        /// True if the bound itself is rejected.
        exclusive: bool,
    },
    /// The part is not a multiple of `multipleOf`.
    MultipleOf(Number),
    /// `multipleOf` is not positive. If the part is written as an integer, such as 3, the factor is
    /// truncated first: 0.5 becomes 0.
    NonPositiveFactor(Number),
    /// The part violates a limit on length or size.
    Limit(Limit),
    /// The part does not match `pattern`.
    Pattern(String),
    /// The part is a string that does not have the `format`.
    Format(String),
    /// The part is a duplicate item of a set.
    DuplicateItem,
    /// The part is an item of a map list, but neither an object nor null.
    NotAnObject,
    /// The part is an item of a map list with the same keys as an earlier item.
    DuplicateKeys(Map<String, Value>),
    /// The part lacks a required member.
    Required(String),
    /// The part is an undeclared field, which the API server prunes.
    UnknownField,
    /// The part has a member that `additionalProperties: false` forbids.
    ForbiddenMember(String),
    /// The part violates `allOf`, `anyOf`, `oneOf` or `not`.
    Branches(BranchRule),
}

/// Limit on the length of a string, or on the number of items or members.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Limit {
    /// The string is shorter than `minLength`.
    MinLength(u64),
    /// The string is longer than `maxLength`.
    MaxLength(u64),
    /// The list has fewer items than `minItems`.
    MinItems(u64),
    /// The list has more items than `maxItems`.
    MaxItems(u64),
    /// The object has fewer members than `minProperties`.
    MinProperties(u64),
    /// The object has more members than `maxProperties`.
    MaxProperties(u64),
}

/// Rule of `allOf`, `anyOf`, `oneOf` or `not` that a value violates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BranchRule {
    /// No branch of `anyOf` accepts the value.
    AnyOf,
    /// No branch of `oneOf` accepts the value, or several do.
    OneOf {
        /// Number of branches that accept the value.
        admitting: usize,
    },
    /// Not every branch of `allOf` accepts the value.
    AllOf {
        /// True if no branch accepts the value.
        none: bool,
    },
    /// The schema of `not` accepts the value.
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
    /// Returns the path of the part and the name of the missing required member, if any.
    pub(super) fn part(&self) -> (&[Step], Option<&str>) {
        let missing = match &self.kind {
            ViolationKind::Required(name) => Some(name.as_str()),
            _ => None,
        };
        (&self.path, missing)
    }
}

impl ViolationKind {
    /// Returns whether the violation is caused by an invalid bound: `minimum`, `maximum` or
    /// `multipleOf` out of range of the type, or a negative `multipleOf`. A `multipleOf` of 0 does
    /// not count, because it may be a truncated fraction.
    pub(super) fn is_of_bound(&self) -> bool {
        match self {
            Self::Range { number, .. } => *number != "Checked",
            Self::NonPositiveFactor(factor) => factor.as_f64() < Some(0.0),
            _ => false,
        }
    }
}

impl Step {
    /// Returns the step into a member of an object and the member's schema, or `None` for an
    /// undeclared member.
    pub(super) fn into_member<'a>(schema: &'a Schema, name: &str) -> Option<(Self, &'a Schema)> {
        let property = schema.properties.get(name);
        let property = property.map(|property| (Self::Member(name.to_owned()), &**property));
        let of_map = schema.additional_properties.as_ref();
        property.or_else(|| of_map.map(|values| (Self::Key(name.to_owned()), &**values)))
    }
}

/// Formats a path: `.ports[1]`.
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
