//! Validation of values against a schema.
//!
//! The API server checks objects in this way, and the defaults of a definition when it is created,
//! after it has filled in the defaults inside of them.

use serde_json::{Map, Number, Value};

use crate::formats;
use crate::re2::Pattern;
use crate::{JsonType, ListType, Schema};

/// A part of a value that its schema does not admit.
#[derive(Clone, Debug, PartialEq)]
pub struct Violation {
    /// Where in the value.
    pub path: Vec<Step>,
    /// What is wrong there.
    pub kind: ViolationKind,
}

/// What is wrong with a part of a value.
#[derive(Clone, Debug, PartialEq)]
pub enum ViolationKind {
    /// It is null, and the schema is not nullable.
    Null,
    /// It has another type.
    Type(Expected),
    /// It is none of the values of `enum`.
    Enum,
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
    /// It does not match `pattern`.
    Pattern(String),
    /// It does not have the `format`.
    Format(String),
    /// A set has an item twice.
    DuplicateItem,
    /// A map list has two items with the same keys.
    DuplicateKeys,
    /// It lacks a required member.
    Required(String),
    /// The schema does not declare it, and the API server prunes it.
    UnknownField,
    /// No branch of `anyOf` admits it.
    AnyOf,
    /// None or several branches of `oneOf` admit it.
    OneOf,
    /// `not` admits it.
    Not,
}

/// The type that a value should have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expected {
    /// `type`
    Type(JsonType),
    /// `x-kubernetes-int-or-string`
    IntegerOrString,
}

/// One step into a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// Into a member of an object.
    Member(String),
    /// Into an item of a list.
    Item(usize),
}

/// Returns everything about a value that its schema does not admit.
pub fn violations(schema: &Schema, value: &Value) -> Vec<Violation> {
    let mut value = value.clone();
    fill_in(schema, &mut value);
    let mut validation = Validator::default();
    validation.value(schema, &value);
    validation.violations
}

/// Fills in the defaults inside a value, as the API server does.
fn fill_in(schema: &Schema, value: &mut Value) {
    match value {
        Value::Object(members) => {
            for (name, property) in &schema.properties {
                if let Some(default) = &property.default
                    && !members.contains_key(name)
                {
                    members.insert(name.clone(), default.clone());
                }
            }
            for (name, member) in members {
                let property = schema.properties.get(name);
                if let Some(schema) = property.or(schema.additional_properties.as_ref()) {
                    fill_in(schema, member);
                }
            }
        }
        Value::Array(items) => {
            if let Some(schema) = &schema.items {
                items.iter_mut().for_each(|item| fill_in(schema, item));
            }
        }
        _ => {}
    }
}

#[derive(Default)]
struct Validator {
    path: Vec<Step>,
    violations: Vec<Violation>,
}

impl Validator {
    fn report(&mut self, kind: ViolationKind) {
        self.violations.push(Violation {
            path: self.path.clone(),
            kind,
        });
    }

    fn at(&mut self, step: Step, check: impl FnOnce(&mut Self)) {
        self.path.push(step);
        check(self);
        self.path.pop();
    }

    fn value(&mut self, schema: &Schema, value: &Value) {
        if value.is_null() {
            // `null` is what the other constraints say nothing about.
            let anything = schema.type_.is_none() && !schema.int_or_string;
            if !schema.nullable && !anything {
                self.report(ViolationKind::Null);
            }
            return;
        }
        if let Some(expected) = misses_type(schema, value) {
            self.report(ViolationKind::Type(expected));
            return;
        }
        self.constraints(schema, value);
        if let Value::Object(members) = value {
            self.unknown_members(schema, members);
        }
    }

    /// Everything but the type: what may also stand inside `allOf` and its like.
    fn constraints(&mut self, schema: &Schema, value: &Value) {
        if !schema.enum_.is_empty() && !schema.enum_.iter().any(|known| equal(known, value)) {
            self.report(ViolationKind::Enum);
        }
        match value {
            Value::Number(number) => self.number(schema, number),
            Value::String(text) => self.text(schema, text),
            Value::Array(items) => self.list(schema, items),
            Value::Object(members) => self.object(schema, members),
            _ => {}
        }
        self.alternatives(schema, value);
    }

    fn number(&mut self, schema: &Schema, number: &Number) {
        let low = schema
            .minimum
            .as_ref()
            .filter(|low| less(number, low) || schema.exclusive_minimum && !less(low, number));
        if let Some(low) = low {
            self.report(ViolationKind::Minimum {
                bound: low.clone(),
                exclusive: schema.exclusive_minimum,
            });
        }
        let high = schema
            .maximum
            .as_ref()
            .filter(|high| less(high, number) || schema.exclusive_maximum && !less(number, high));
        if let Some(high) = high {
            self.report(ViolationKind::Maximum {
                bound: high.clone(),
                exclusive: schema.exclusive_maximum,
            });
        }
        if let Some(factor) = schema
            .multiple_of
            .as_ref()
            .filter(|factor| !is_multiple(number, factor))
        {
            self.report(ViolationKind::MultipleOf(factor.clone()));
        }
        let fits = match schema.format.as_deref() {
            Some("int32") => number.as_i64().is_none_or(|n| i32::try_from(n).is_ok()),
            Some("float") => number
                .as_f64()
                .is_none_or(|n| n.abs() <= f64::from(f32::MAX)),
            _ => true,
        };
        if let Some(format) = schema.format.as_ref().filter(|_| !fits) {
            self.report(ViolationKind::Format(format.clone()));
        }
    }

    fn text(&mut self, schema: &Schema, text: &str) {
        self.length(
            text.chars().count() as u64,
            schema
                .min_length
                .map(|least| (least, ViolationKind::MinLength(least))),
            schema
                .max_length
                .map(|most| (most, ViolationKind::MaxLength(most))),
        );
        if let Some(pattern) = &schema.pattern
            && let Ok(compiled) = Pattern::parse(pattern)
            && !compiled.matches(text)
        {
            self.report(ViolationKind::Pattern(pattern.clone()));
        }
        if let Some(format) = &schema.format
            && !formats::admits(format, text)
        {
            self.report(ViolationKind::Format(format.clone()));
        }
    }

    /// Reports a length below the least or above the greatest one.
    fn length(
        &mut self,
        length: u64,
        least: Option<(u64, ViolationKind)>,
        most: Option<(u64, ViolationKind)>,
    ) {
        if let Some((_, kind)) = least.filter(|(least, _)| length < *least) {
            self.report(kind);
        }
        if let Some((_, kind)) = most.filter(|(most, _)| length > *most) {
            self.report(kind);
        }
    }

    fn list(&mut self, schema: &Schema, items: &[Value]) {
        self.length(
            items.len() as u64,
            schema
                .min_items
                .map(|least| (least, ViolationKind::MinItems(least))),
            schema
                .max_items
                .map(|most| (most, ViolationKind::MaxItems(most))),
        );
        if schema.list_type == Some(ListType::Set)
            && items
                .iter()
                .enumerate()
                .any(|(at, item)| items[..at].contains(item))
        {
            self.report(ViolationKind::DuplicateItem);
        }
        if schema.list_type == Some(ListType::Map) {
            let keys = |item: &Value| -> Vec<Option<Value>> {
                let keys = schema.list_map_keys.iter();
                keys.map(|key| item.get(key).cloned()).collect()
            };
            let found: Vec<_> = items.iter().map(keys).collect();
            if (0..found.len()).any(|at| found[..at].contains(&found[at])) {
                self.report(ViolationKind::DuplicateKeys);
            }
        }
        if let Some(schema) = &schema.items {
            for (at, item) in items.iter().enumerate() {
                self.at(Step::Item(at), |check| check.value(schema, item));
            }
        }
    }

    fn object(&mut self, schema: &Schema, members: &Map<String, Value>) {
        self.length(
            members.len() as u64,
            schema
                .min_properties
                .map(|least| (least, ViolationKind::MinProperties(least))),
            schema
                .max_properties
                .map(|most| (most, ViolationKind::MaxProperties(most))),
        );
        for name in schema
            .required
            .iter()
            .filter(|name| !members.contains_key(*name))
        {
            self.report(ViolationKind::Required(name.clone()));
        }
        for (name, member) in members {
            let property = schema.properties.get(name);
            if let Some(schema) = property.or(schema.additional_properties.as_ref()) {
                self.at(Step::Member(name.clone()), |check| {
                    check.value(schema, member)
                });
            }
        }
    }

    /// Members that the API server would prune.
    fn unknown_members(&mut self, schema: &Schema, members: &Map<String, Value>) {
        let open = schema.preserve_unknown_fields || schema.additional_properties.is_some();
        if open || schema.is_unknown() {
            return;
        }
        let of_resource = |name: &str| {
            schema.embedded_resource && ["apiVersion", "kind", "metadata"].contains(&name)
        };
        for name in members.keys() {
            if !schema.properties.contains_key(name) && !of_resource(name) {
                self.at(Step::Member(name.clone()), |check| {
                    check.report(ViolationKind::UnknownField)
                });
            }
        }
    }

    fn alternatives(&mut self, schema: &Schema, value: &Value) {
        for all in &schema.all_of {
            self.constraints(all, value);
        }
        let admits = |schema: &Schema| {
            let mut check = Self::default();
            check.alternative(schema, value);
            check.violations.is_empty()
        };
        if !schema.any_of.is_empty() && !schema.any_of.iter().any(admits) {
            self.report(ViolationKind::AnyOf);
        }
        let taken = schema.one_of.iter().filter(|one| admits(one)).count();
        if !schema.one_of.is_empty() && taken != 1 {
            self.report(ViolationKind::OneOf);
        }
        if schema.not.as_deref().is_some_and(admits) {
            self.report(ViolationKind::Not);
        }
    }

    /// A branch says nothing of types, but for the two of an integer or string.
    fn alternative(&mut self, schema: &Schema, value: &Value) {
        if let Some(expected) = misses_type(schema, value) {
            self.report(ViolationKind::Type(expected));
        }
        self.constraints(schema, value);
    }
}

/// Returns the type that a value should have and does not have.
fn misses_type(schema: &Schema, value: &Value) -> Option<Expected> {
    if schema.int_or_string {
        let fits = is_integer(value) || value.is_string();
        return (!fits).then_some(Expected::IntegerOrString);
    }
    let expected = schema.type_?;
    let fits = match expected {
        JsonType::Integer => is_integer(value),
        JsonType::Number => value.is_number(),
        JsonType::String => value.is_string(),
        JsonType::Boolean => value.is_boolean(),
        JsonType::Array => value.is_array(),
        JsonType::Object => value.is_object(),
    };
    (!fits).then_some(Expected::Type(expected))
}

/// `3.0` is an integer to the API server, and `18446744073709551615` is none.
fn is_integer(value: &Value) -> bool {
    value.is_i64()
        || value
            .as_f64()
            .is_some_and(|n| value.is_f64() && n.fract() == 0.0)
}

/// True if two values are the same, numbers however they are written: `2.0` is 2.
pub fn equal(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => !less(a, b) && !less(b, a),
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| equal(a, b))
        }
        (Value::Object(a), Value::Object(b)) => {
            let same = |(name, value)| b.get(name).is_some_and(|other| equal(value, other));
            a.len() == b.len() && a.iter().all(same)
        }
        _ => a == b,
    }
}

/// True if `a` is less than `b`, whole numbers exactly.
pub fn less(a: &Number, b: &Number) -> bool {
    match (a.as_i128(), b.as_i128()) {
        (Some(a), Some(b)) => a < b,
        _ => a.as_f64() < b.as_f64(),
    }
}

/// True if `number` is a multiple of `factor`.
pub fn is_multiple(number: &Number, factor: &Number) -> bool {
    match (number.as_i128(), factor.as_i128()) {
        (Some(number), Some(factor)) => factor != 0 && number % factor == 0,
        _ => {
            let (Some(number), Some(factor)) = (number.as_f64(), factor.as_f64()) else {
                return true;
            };
            let times = number / factor;
            // Of a decimal fraction the quotient is a little off.
            (times - times.round()).abs() < 1e-9
        }
    }
}

/// `.ports[1]`
pub fn display(path: &[Step]) -> String {
    let mut out = String::new();
    for step in path {
        match step {
            Step::Member(name) => {
                out.push('.');
                out.push_str(name);
            }
            Step::Item(at) => out.push_str(&format!("[{at}]")),
        }
    }
    out
}

#[cfg(test)]
pub(crate) mod verdicts;
