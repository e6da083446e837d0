//! Schema validation of values, in the order of `k8s.io/kube-openapi/pkg/validation`.

mod alternatives;

use std::cmp::Ordering;
use std::collections::HashMap;

use genclient_apimachinery::strfmt;
use genclient_cel::re2::Pattern;
use serde_json::{Map, Number, Value};

use super::compare::{Compared, cut, float, integer, matches_listed};
use super::correlated::Correlated;
use super::lists;
use super::types::{known_format, missed_stated_type, missed_type, stated_format};
use super::violation::{Limit, Step, Violation, ViolationKind};
use crate::{JsonType, Schema};

/// Returns the API server's violations in its order, and a violation for every field that it would
/// prune. Fields are visited in the order of their names. To include defaults, call
/// [`fill_in_defaults`](super::fill_in_defaults) first.
pub fn violations(schema: &Schema, value: &Value) -> Vec<Violation> {
    let mut validator = Validator::default();
    validator.value(schema, value);
    let mut violations = distinct(validator.violations);
    violations.append(&mut validator.duplicates);
    violations
}

/// Returns the violations of a value, except those for duplicate list items. If a part equals its
/// old value in `correlated`, all violations in it are omitted (`ratchetingValueValidator`).
pub(super) fn schema_violations(
    schema: &Schema,
    value: &Value,
    correlated: Option<Correlated<'_>>,
) -> Vec<Violation> {
    let mut validator = Validator {
        correlated,
        ..Validator::default()
    };
    validator.ratcheted(schema, value);
    distinct(validator.violations)
}

/// Returns the violations of a default in a definition that is created or updated. For such a
/// default, the API server ignores `x-kubernetes-int-or-string` and checks `format` whatever the
/// type.
pub(super) fn default_violations(schema: &Schema, default: &Value) -> Vec<Violation> {
    let mut validator = Validator {
        is_definition_default: true,
        ..Validator::default()
    };
    validator.value(schema, default);
    distinct(validator.violations)
}

/// Removes duplicates. A violation that occurs both inside and outside of `anyOf` or `oneOf` counts
/// as outside.
fn distinct(mut violations: Vec<Violation>) -> Vec<Violation> {
    let mut firsts = HashMap::new();
    let numbered = violations.iter().enumerate();
    let firsts: Vec<usize> = numbered
        .map(|(at, found)| *firsts.entry((&found.path, &found.kind)).or_insert(at))
        .collect();
    for (at, first) in firsts.iter().enumerate() {
        violations[*first].in_branch &= violations[at].in_branch;
    }
    let mut firsts = firsts.into_iter().enumerate();
    violations.retain(|_| firsts.next().is_some_and(|(at, first)| at == first));
    violations
}

#[derive(Default)]
struct Validator<'v> {
    path: Vec<Step>,
    /// The old value of the current part, if any. In branches of `allOf`, `anyOf`, `oneOf` and
    /// `not`, parts have no old value.
    correlated: Option<Correlated<'v>>,
    violations: Vec<Violation>,
    /// Duplicate items, reported last. Branches do not check them.
    duplicates: Vec<Violation>,
    /// The API server's `MatchCount`, which counts the checks that ran. A type check that passes
    /// counts twice. If every branch of `anyOf` or `oneOf` rejects a value, the API server reports
    /// the branch with the highest count.
    checks: usize,
    /// True in [`default_violations`].
    is_definition_default: bool,
    /// True inside of a branch, where undeclared fields are not reported.
    is_branch: bool,
}

impl Validator<'_> {
    fn report(&mut self, kind: ViolationKind) {
        self.violations.push(Violation {
            path: self.path.clone(),
            kind,
            in_branch: false,
        });
    }

    fn below(&mut self, step: Step, schema: &Schema, value: &Value) {
        let outer = self.correlated;
        self.correlated = outer.and_then(|outer| match &step {
            // Errors in `apiVersion` and `kind` of the root are reported even if these fields are
            // unchanged.
            Step::Member(name) | Step::Key(name) => {
                let is_type = self.path.is_empty() && ["apiVersion", "kind"].contains(&&**name);
                outer.member(name).filter(|_| !is_type)
            }
            Step::Item(at) => outer.item(*at),
        });
        self.path.push(step);
        self.ratcheted(schema, value);
        self.path.pop();
        self.correlated = outer;
    }

    fn ratcheted(&mut self, schema: &Schema, value: &Value) {
        let before = self.violations.len();
        self.value(schema, value);
        let is_wrong = self.violations.len() > before;
        if is_wrong && self.correlated.is_some_and(Correlated::is_unchanged) {
            self.violations.truncate(before);
        }
    }

    fn value(&mut self, schema: &Schema, value: &Value) {
        self.type_(schema, value);
        if value.is_null() {
            self.enum_(schema, value);
            return;
        }
        self.alternatives(schema, value);
        match value {
            Value::String(text) => self.check_text(schema, text),
            Value::Number(number) => self.number(schema, number),
            Value::Array(items) => self.list(schema, items),
            _ => {}
        }
        self.enum_(schema, value);
        if let Value::Object(members) = value {
            self.object(schema, members);
        }
        self.checks += 2;
    }

    fn type_(&mut self, schema: &Schema, value: &Value) {
        let has_type = schema.type_.is_some()
            || schema.unknown_type.is_some() && self.is_definition_default
            || schema.int_or_string && !self.is_definition_default;
        let is_checked = has_type || schema.format.is_some() && !value.is_null();
        if is_checked {
            self.checks += usize::from(!value.is_null());
            let missed = if self.is_definition_default {
                missed_stated_type(schema, value)
            } else {
                missed_type(schema, value)
            };
            match missed {
                Some(kind) => self.report(kind),
                None => self.checks += 1,
            }
        }
    }

    fn enum_(&mut self, schema: &Schema, value: &Value) {
        let is_one = |listed: &Value| matches_listed(listed, value);
        if !schema.enum_.is_empty() && !schema.enum_.iter().any(is_one) {
            self.report(ViolationKind::Enum(schema.enum_.clone()));
        }
    }

    fn check_text(&mut self, schema: &Schema, text: &str) {
        let length = text.chars().count() as u64;
        let does_not_match =
            |pattern: &&String| Pattern::parse(pattern).is_ok_and(|pattern| !pattern.matches(text));
        if let Some(most) = schema.max_length.filter(|most| length > *most) {
            self.report(ViolationKind::Limit(Limit::MaxLength(most)));
        } else if let Some(least) = schema.min_length.filter(|least| length < *least) {
            self.report(ViolationKind::Limit(Limit::MinLength(least)));
        } else if let Some(pattern) = schema.pattern.as_ref().filter(does_not_match) {
            self.report(ViolationKind::Pattern(pattern.clone()));
        }
        self.checks += 1;
        let format = if self.is_definition_default {
            stated_format(schema)
        } else {
            known_format(schema)
        };
        if let Some(format) = format.filter(|format| !strfmt::is_numeric(format)) {
            if !strfmt::admits(format, text) {
                self.report(ViolationKind::Format(format.to_owned()));
            }
            self.checks += 1;
        }
    }

    fn number(&mut self, schema: &Schema, number: &Number) {
        self.range("Checked", schema, number);
        if let Some(factor) = &schema.multiple_of {
            let compared = self.compared("MultipleOf", schema, number, factor);
            let factor = compared.bound();
            if float(&factor) <= 0.0 {
                self.report(ViolationKind::NonPositiveFactor(factor));
            } else if !compared.is_multiple() {
                self.report(ViolationKind::MultipleOf(factor));
            }
        }
        if let Some(bound) = &schema.minimum {
            let exclusive = schema.exclusive_minimum;
            let compared = self.compared("Minimum boundary", schema, number, bound);
            let order = compared.order();
            if order == Ordering::Less || exclusive && order == Ordering::Equal {
                let bound = compared.bound();
                self.report(ViolationKind::Minimum { bound, exclusive });
            }
        }
        if let Some(bound) = &schema.maximum {
            let exclusive = schema.exclusive_maximum;
            let compared = self.compared("Maximum boundary", schema, number, bound);
            let order = compared.order();
            if order == Ordering::Greater || exclusive && order == Ordering::Equal {
                let bound = compared.bound();
                self.report(ViolationKind::Maximum { bound, exclusive });
            }
        }
        self.checks += 2;
    }

    /// Converts a number and a bound for comparison: to integers if the number is written as one,
    /// such as 3, otherwise to floats. As an integer, the bound is truncated. A bound out of range
    /// of the schema's type is reported, and both are converted to floats.
    fn compared(
        &mut self,
        name: &'static str,
        schema: &Schema,
        number: &Number,
        bound: &Number,
    ) -> Compared {
        // The API server stores bounds as floats.
        let kept = Number::from_f64(float(bound)).unwrap_or_else(|| bound.clone());
        let is_held = self.range(name, schema, &kept);
        match number.as_i64().filter(|_| is_held) {
            Some(number) => Compared::Whole(number, cut(&kept)),
            None => Compared::Float(float(number), float(bound)),
        }
    }

    /// Returns whether a number, which is the value or a bound, is in range of the schema's type
    /// and format. Otherwise reports the number as `name`.
    fn range(&mut self, name: &'static str, schema: &Schema, number: &Number) -> bool {
        let Some(type_) = schema.type_.filter(|_| !schema.int_or_string) else {
            return true;
        };
        let format = known_format(schema);
        let number_holds = match (type_, format) {
            (JsonType::Integer, Some("int32")) => {
                integer(number).is_some_and(|integer| i32::try_from(integer).is_ok())
            }
            (JsonType::Integer, _) => integer(number).is_some(),
            (JsonType::Number, Some("float")) => float(number).abs() <= f64::from(f32::MAX),
            _ => true,
        };
        if !number_holds {
            self.report(ViolationKind::Range {
                number: name,
                type_,
                format: format.map(str::to_owned),
            });
        }
        number_holds
    }

    fn list(&mut self, schema: &Schema, items: &[Value]) {
        if !self.is_branch {
            self.duplicates(schema, items);
        }
        if let Some(schema) = &schema.items {
            for (at, item) in items.iter().enumerate() {
                self.below(Step::Item(at), schema, item);
            }
        }
        let length = items.len() as u64;
        if let Some(least) = schema.min_items.filter(|least| length < *least) {
            self.report(ViolationKind::Limit(Limit::MinItems(least)));
        }
        if let Some(most) = schema.max_items.filter(|most| length > *most) {
            self.report(ViolationKind::Limit(Limit::MaxItems(most)));
        }
        self.checks += 2;
    }

    fn duplicates(&mut self, schema: &Schema, items: &[Value]) {
        for (at, kind) in lists::duplicates(schema, items) {
            let mut path = self.path.clone();
            path.push(Step::Item(at));
            self.duplicates.push(Violation {
                path,
                kind,
                in_branch: false,
            });
        }
    }

    fn object(&mut self, schema: &Schema, members: &Map<String, Value>) {
        let length = members.len() as u64;
        if let Some(least) = schema.min_properties.filter(|least| length < *least) {
            self.report(ViolationKind::Limit(Limit::MinProperties(least)));
        }
        if let Some(most) = schema.max_properties.filter(|most| length > *most) {
            self.report(ViolationKind::Limit(Limit::MaxProperties(most)));
        }
        for (name, value) in members {
            if let Some((step, schema)) = Step::into_member(schema, name) {
                self.below(step, schema, value);
            }
        }
        if schema
            .additional_properties
            .as_ref()
            .is_some_and(|it| it.boolean == Some(false))
        {
            let undeclared = members
                .keys()
                .filter(|name| !schema.properties.contains_key(*name));
            for name in undeclared {
                self.report(ViolationKind::ForbiddenMember(name.clone()));
            }
        }
        for name in &schema.required {
            if !members.contains_key(name) {
                self.report(ViolationKind::Required(name.clone()));
            }
        }
        self.unknown_members(schema, members);
        self.checks += 1;
    }

    /// Reports members that the API server would prune.
    fn unknown_members(&mut self, schema: &Schema, members: &Map<String, Value>) {
        let open = schema.preserve_unknown_fields || schema.additional_properties.is_some();
        if open || self.is_branch || schema.is_unknown() {
            return;
        }
        let of_resource = |name: &str| {
            schema.embedded_resource && ["apiVersion", "kind", "metadata"].contains(&name)
        };
        for name in members.keys() {
            if !schema.properties.contains_key(name) && !of_resource(name) {
                self.path.push(Step::Member(name.clone()));
                self.report(ViolationKind::UnknownField);
                self.path.pop();
            }
        }
    }
}
