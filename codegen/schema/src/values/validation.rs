//! The checks of a schema on a value, in the order of `k8s.io/kube-openapi/pkg/validation`.

use serde_json::{Map, Number, Value};

use super::compare;
use super::violation::{BranchRule, Limit, Step, Violation, ViolationKind};
use crate::re2::Pattern;
use crate::{JsonType, Schema, formats};

/// Returns what a schema says against a value, but for repeated items.
pub(super) fn violations(schema: &Schema, value: &Value) -> Vec<Violation> {
    let mut validator = Validator::default();
    validator.value(schema, value);
    validator.violations
}

#[derive(Default)]
struct Validator {
    path: Vec<Step>,
    violations: Vec<Violation>,
    /// How many checks were made or held. Of the branches of `anyOf` and `oneOf` that refuse a
    /// value, the API server shows the one that has most.
    checks: usize,
    /// True inside of a branch, where a schema need not declare every field.
    is_branch: bool,
}

impl Validator {
    fn report(&mut self, kind: ViolationKind) {
        self.add(Violation {
            path: self.path.clone(),
            kind,
            in_branch: false,
        });
    }

    /// Nothing is said twice.
    fn add(&mut self, violation: Violation) {
        let is_known =
            |known: &Violation| known.path == violation.path && known.kind == violation.kind;
        if !self.violations.iter().any(is_known) {
            self.violations.push(violation);
        }
    }

    fn below(&mut self, step: Step, schema: &Schema, value: &Value) {
        self.path.push(step);
        self.value(schema, value);
        self.path.pop();
    }

    fn value(&mut self, schema: &Schema, value: &Value) {
        self.type_(schema, value);
        if value.is_null() {
            self.enum_(schema, value);
            return;
        }
        self.alternatives(schema, value);
        match value {
            Value::String(text) => self.text(schema, text),
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
        let has_type = schema.type_.is_some() || schema.int_or_string;
        let is_checked = has_type || schema.format.is_some() && !value.is_null();
        if is_checked {
            self.checks += usize::from(!value.is_null());
            match missed_type(schema, value) {
                Some(kind) => self.report(kind),
                None => self.checks += 1,
            }
        }
    }

    fn enum_(&mut self, schema: &Schema, value: &Value) {
        let is_one = |known| compare::equal(known, value);
        if !schema.enum_.is_empty() && !schema.enum_.iter().any(is_one) {
            self.report(ViolationKind::Enum(schema.enum_.clone()));
        }
    }

    fn text(&mut self, schema: &Schema, text: &str) {
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
        if let Some(format) = &schema.format
            && formats::KNOWN.contains(&&**format)
            && !formats::is_numeric(format)
        {
            if !formats::admits(format, text) {
                self.report(ViolationKind::Format(format.clone()));
            }
            self.checks += 1;
        }
    }

    fn number(&mut self, schema: &Schema, number: &Number) {
        if let Some(kind) = out_of_range(schema, number) {
            self.report(kind);
        }
        if let Some(factor) = &schema.multiple_of
            && !compare::is_multiple(number, factor)
        {
            self.report(ViolationKind::MultipleOf(factor.clone()));
        }
        let less = compare::less;
        if let Some(bound) = &schema.minimum
            && (less(number, bound) || schema.exclusive_minimum && !less(bound, number))
        {
            self.report(ViolationKind::Minimum {
                bound: bound.clone(),
                exclusive: schema.exclusive_minimum,
            });
        }
        if let Some(bound) = &schema.maximum
            && (less(bound, number) || schema.exclusive_maximum && !less(number, bound))
        {
            self.report(ViolationKind::Maximum {
                bound: bound.clone(),
                exclusive: schema.exclusive_maximum,
            });
        }
        self.checks += 2;
    }

    fn list(&mut self, schema: &Schema, items: &[Value]) {
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
        for name in &schema.required {
            if !members.contains_key(name) {
                self.report(ViolationKind::Required(name.clone()));
            }
        }
        self.unknown_members(schema, members);
        self.checks += 1;
    }

    /// Members that the API server would prune.
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

    fn alternatives(&mut self, schema: &Schema, value: &Value) {
        if !schema.any_of.is_empty() {
            let branches = self.branches(&schema.any_of, value);
            if branches.iter().all(Self::refuses) {
                self.report(ViolationKind::Branches(BranchRule::AnyOf));
                self.show_best(branches);
            }
        }
        if !schema.one_of.is_empty() {
            let branches = self.branches(&schema.one_of, value);
            let admitting = branches.iter().filter(|branch| !branch.refuses()).count();
            if admitting != 1 {
                self.report(ViolationKind::Branches(BranchRule::OneOf { admitting }));
            }
            if admitting == 0 {
                self.show_best(branches);
            }
        }
        let branches = self.branches(&schema.all_of, value);
        let refusing = branches.iter().filter(|branch| branch.refuses()).count();
        let none = refusing == branches.len();
        for branch in branches {
            self.checks += branch.checks;
            branch
                .violations
                .into_iter()
                .for_each(|found| self.add(found));
        }
        if refusing > 0 {
            self.report(ViolationKind::Branches(BranchRule::AllOf { none }));
        }
        if let Some(not) = &schema.not
            && !self.branch(not, value).refuses()
        {
            self.report(ViolationKind::Branches(BranchRule::Not));
        }
        self.checks += 2;
    }

    fn branches(&self, schemas: &[Schema], value: &Value) -> Vec<Self> {
        let branch = |schema| self.branch(schema, value);
        schemas.iter().map(branch).collect()
    }

    fn branch(&self, schema: &Schema, value: &Value) -> Self {
        let mut branch = Self {
            path: self.path.clone(),
            is_branch: true,
            ..Self::default()
        };
        branch.value(schema, value);
        branch
    }

    fn refuses(&self) -> bool {
        !self.violations.is_empty()
    }

    /// Adds what the first branch of those with most checks says.
    fn show_best(&mut self, branches: Vec<Self>) {
        let best = branches
            .into_iter()
            .rev()
            .max_by_key(|branch| branch.checks);
        let Some(best) = best else { return };
        self.checks += best.checks;
        for violation in best.violations {
            self.add(Violation {
                in_branch: true,
                ..violation
            });
        }
    }
}

/// Returns what is wrong with the type of a value.
fn missed_type(schema: &Schema, value: &Value) -> Option<ViolationKind> {
    let found = json_type(value);
    let types: Vec<&str> = match schema.type_ {
        _ if schema.int_or_string => vec!["integer", "string"],
        type_ => type_.into_iter().map(JsonType::as_str).collect(),
    };
    let missed = |expected: &str, found| {
        let expected = expected.to_owned();
        Some(ViolationKind::Type { expected, found })
    };
    if value.is_null() {
        return match schema.nullable {
            true => None,
            false => missed(&types.join(","), found),
        };
    }
    let admits = types.contains(&found)
        || found == "integer" && types.contains(&"number")
        || types.contains(&"integer") && is_whole(value);
    let has_text = value.is_string() || value.is_array();
    match &schema.format {
        // A number is told from another by its format.
        Some(format) if !has_text && !admits => {
            let found = match found {
                "integer" => "int64",
                "number" => "float64",
                _ => "",
            };
            if found == format {
                return missed(&types.join(","), json_type(value));
            }
            missed(format, found)
        }
        // The API server looks no further at a list in the place of such a text.
        Some(_)
            if has_text
                && !types
                    .iter()
                    .any(|type_| ["integer", "number"].contains(type_)) =>
        {
            None
        }
        _ if admits => None,
        _ => missed(&types.join(","), found),
    }
}

fn json_type(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_i64() => "integer",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

/// `3.0` is an integer to the API server, up to the last one that a float tells from the next.
fn is_whole(value: &Value) -> bool {
    const LAST: f64 = 9_007_199_254_740_991.0;
    let number = value.as_f64().filter(|_| value.is_f64());
    number.is_some_and(|number| number.fract() == 0.0 && number.abs() <= LAST)
}

/// Returns what is said of a number that its type and format do not hold.
fn out_of_range(schema: &Schema, number: &Number) -> Option<ViolationKind> {
    let type_ = schema.type_.filter(|_| !schema.int_or_string)?;
    let format = schema.format.as_deref();
    let integer = || {
        let float = number.as_f64().filter(|float| float.fract() == 0.0);
        number.as_i64().or_else(|| {
            // Exact: a whole float of this size is one of the 64 bits' numbers.
            float
                .filter(|float| float.abs() < 9.2e18)
                .map(|float| float as i64)
        })
    };
    let (fits, format) = match (type_, format) {
        (JsonType::Integer, Some("int32")) => {
            let fits = integer().is_some_and(|integer| i32::try_from(integer).is_ok());
            (fits, Some("int32"))
        }
        (JsonType::Integer, format) => (
            integer().is_some(),
            format.filter(|format| *format == "int64"),
        ),
        (JsonType::Number, Some("float")) => {
            let float = number.as_f64();
            let fits = float.is_none_or(|float| float.abs() <= f64::from(f32::MAX));
            (fits, Some("float"))
        }
        _ => return None,
    };
    let format = format.map(str::to_owned);
    (!fits).then_some(ViolationKind::Range { type_, format })
}
