//! Whether a value is one that a schema admits: defaults, examples and the members of enums.
//!
//! The API server asks the same when a definition is created, after it has filled in the defaults inside the value.

use std::fmt;

use serde_json::{Map, Number, Value};

use super::formats;
use crate::model::{JsonType, ListType, Schema};
use crate::resolve::re2::Pattern;

/// A part of a value that its schema does not admit.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Misfit {
    /// Where in the value.
    pub(super) path: Vec<Step>,
    /// What is wrong there: `is below the minimum 1`.
    pub(super) message: String,
}

/// One step into a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Step {
    Member(String),
    Item(usize),
}

/// Everything about a value that its schema does not admit.
pub(super) fn misfits(schema: &Schema, value: &Value) -> Vec<Misfit> {
    let mut value = value.clone();
    fill_in(schema, &mut value);
    let mut check = Check::default();
    check.value(schema, &value);
    check.misfits
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
struct Check {
    path: Vec<Step>,
    misfits: Vec<Misfit>,
}

impl Check {
    fn report(&mut self, message: impl fmt::Display) {
        self.misfits.push(Misfit {
            path: self.path.clone(),
            message: message.to_string(),
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
                self.report("may not be null");
            }
            return;
        }
        if let Some(wanted) = misses_type(schema, value) {
            self.report(format_args!("is no {wanted}"));
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
            self.report("is none of the values of `enum`");
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
            self.report(format_args!("is below the minimum {low}"));
        }
        let high = schema
            .maximum
            .as_ref()
            .filter(|high| less(high, number) || schema.exclusive_maximum && !less(number, high));
        if let Some(high) = high {
            self.report(format_args!("is above the maximum {high}"));
        }
        if let Some(factor) = schema
            .multiple_of
            .as_ref()
            .filter(|factor| !is_multiple(number, factor))
        {
            self.report(format_args!("is no multiple of {factor}"));
        }
        let fits = match schema.format.as_deref() {
            Some("int32") => number.as_i64().is_none_or(|n| i32::try_from(n).is_ok()),
            Some("float") => number
                .as_f64()
                .is_none_or(|n| n.abs() <= f64::from(f32::MAX)),
            _ => true,
        };
        if !fits {
            self.report("does not fit into 32 bits");
        }
    }

    fn text(&mut self, schema: &Schema, text: &str) {
        let length = text.chars().count() as u64;
        self.bounds(length, schema.min_length, schema.max_length, "characters");
        let pattern = schema
            .pattern
            .as_deref()
            .and_then(|pattern| Pattern::parse(pattern).ok());
        if pattern.is_some_and(|pattern| !pattern.matches(text)) {
            self.report("does not match the pattern");
        }
        if let Some(format) = &schema.format
            && !formats::admits(format, text)
        {
            self.report(format_args!("has not the format {format}"));
        }
    }

    fn list(&mut self, schema: &Schema, items: &[Value]) {
        self.bounds(
            items.len() as u64,
            schema.min_items,
            schema.max_items,
            "items",
        );
        if schema.list_type == Some(ListType::Set)
            && items
                .iter()
                .enumerate()
                .any(|(at, item)| items[..at].contains(item))
        {
            self.report("has an item twice");
        }
        if schema.list_type == Some(ListType::Map) {
            let keys = |item: &Value| -> Vec<Option<Value>> {
                let keys = schema.list_map_keys.iter();
                keys.map(|key| item.get(key).cloned()).collect()
            };
            let found: Vec<_> = items.iter().map(keys).collect();
            if (0..found.len()).any(|at| found[..at].contains(&found[at])) {
                self.report("has two items with the same keys");
            }
        }
        if let Some(schema) = &schema.items {
            for (at, item) in items.iter().enumerate() {
                self.at(Step::Item(at), |check| check.value(schema, item));
            }
        }
    }

    fn object(&mut self, schema: &Schema, members: &Map<String, Value>) {
        self.bounds(
            members.len() as u64,
            schema.min_properties,
            schema.max_properties,
            "members",
        );
        for name in schema
            .required
            .iter()
            .filter(|name| !members.contains_key(*name))
        {
            self.report(format_args!("lacks `{name}`"));
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
                    check.report("is no field of the type")
                });
            }
        }
    }

    fn bounds(&mut self, length: u64, least: Option<u64>, most: Option<u64>, what: &str) {
        if let Some(least) = least.filter(|least| length < *least) {
            self.report(format_args!("has fewer than {least} {what}"));
        }
        if let Some(most) = most.filter(|most| length > *most) {
            self.report(format_args!("has more than {most} {what}"));
        }
    }

    fn alternatives(&mut self, schema: &Schema, value: &Value) {
        for all in &schema.all_of {
            self.constraints(all, value);
        }
        let admits = |schema: &Schema| {
            let mut check = Self::default();
            check.alternative(schema, value);
            check.misfits.is_empty()
        };
        if !schema.any_of.is_empty() && !schema.any_of.iter().any(admits) {
            self.report("is none of the alternatives");
        }
        let taken = schema.one_of.iter().filter(|one| admits(one)).count();
        if !schema.one_of.is_empty() && taken != 1 {
            self.report("is not one of the alternatives, and no other");
        }
        if schema.not.as_deref().is_some_and(admits) {
            self.report("is what it may not be");
        }
    }

    /// A branch says nothing of types, but for the two of an integer or string.
    fn alternative(&mut self, schema: &Schema, value: &Value) {
        if let Some(wanted) = misses_type(schema, value) {
            self.report(format_args!("is no {wanted}"));
        }
        self.constraints(schema, value);
    }
}

/// The type that a value should have and has not.
fn misses_type(schema: &Schema, value: &Value) -> Option<&'static str> {
    if schema.int_or_string {
        return (!is_integer(value) && !value.is_string()).then_some("integer or string");
    }
    let (fits, wanted) = match schema.type_? {
        JsonType::Integer => (is_integer(value), "whole number of 64 bits"),
        JsonType::Number => (value.is_number(), "number"),
        JsonType::String => (value.is_string(), "string"),
        JsonType::Boolean => (value.is_boolean(), "boolean"),
        JsonType::Array => (value.is_array(), "list"),
        JsonType::Object => (value.is_object(), "object"),
    };
    (!fits).then_some(wanted)
}

/// `3.0` is an integer to the API server, and `18446744073709551615` is none.
fn is_integer(value: &Value) -> bool {
    value.is_i64()
        || value
            .as_f64()
            .is_some_and(|n| value.is_f64() && n.fract() == 0.0)
}

/// True if two values are the same, numbers however they are written: `2.0` is 2.
pub(super) fn equal(a: &Value, b: &Value) -> bool {
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

pub(super) fn less(a: &Number, b: &Number) -> bool {
    match (a.as_i128(), b.as_i128()) {
        (Some(a), Some(b)) => a < b,
        _ => a.as_f64() < b.as_f64(),
    }
}

pub(super) fn is_multiple(number: &Number, factor: &Number) -> bool {
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
pub(super) fn display(path: &[Step]) -> String {
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
mod tests;
#[cfg(test)]
pub(super) mod verdicts;
