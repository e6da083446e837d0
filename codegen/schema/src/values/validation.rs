//! The checks of a schema on a value, in the order of `k8s.io/kube-openapi/pkg/validation`.

use std::cmp::Ordering;

use serde_json::{Map, Number, Value};

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
        let known = self
            .violations
            .iter_mut()
            .find(|known| known.path == violation.path && known.kind == violation.kind);
        match known {
            Some(known) => known.in_branch &= violation.in_branch,
            None => self.violations.push(violation),
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
        let is_one = |listed: &Value| matches_listed(listed, value);
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
        if let Some(format) = known_format(schema).filter(|format| !formats::is_numeric(format)) {
            if !formats::admits(format, text) {
                self.report(ViolationKind::Format(format.to_owned()));
            }
            self.checks += 1;
        }
    }

    fn number(&mut self, schema: &Schema, number: &Number) {
        self.range("Checked", schema, number);
        if let Some(factor) = &schema.multiple_of {
            match self.compared("MultipleOf", schema, number, factor) {
                Compared::Whole(_, factor) if factor <= 0 => {
                    self.report(ViolationKind::NoFactor(factor.into()));
                }
                compared if !compared.is_multiple() => {
                    self.report(ViolationKind::MultipleOf(compared.bound()));
                }
                _ => {}
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

    /// A number beside a bound: with a whole number, the bound loses its fraction, unless the type
    /// does not hold it.
    fn compared(
        &mut self,
        name: &'static str,
        schema: &Schema,
        number: &Number,
        bound: &Number,
    ) -> Compared {
        // The API server keeps bounds as floats.
        let kept = Number::from_f64(float(bound)).unwrap_or_else(|| bound.clone());
        let is_held = self.range(name, schema, &kept);
        match number.as_i64().filter(|_| is_held) {
            Some(number) => Compared::Whole(number, cut(bound)),
            None => Compared::Float(float(number), float(bound)),
        }
    }

    /// Whether the type and its format hold a number; what they do not hold is reported.
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
            match branches.iter().find(|branch| !branch.refuses()) {
                Some(branch) => self.checks += branch.checks,
                None => {
                    self.report(ViolationKind::Branches(BranchRule::AnyOf));
                    self.show_best(branches);
                }
            }
        }
        if !schema.one_of.is_empty() {
            let branches = self.branches(&schema.one_of, value);
            let admitting: Vec<_> = branches.iter().filter(|it| !it.refuses()).collect();
            match admitting[..] {
                [branch] => self.checks += branch.checks,
                [] => {
                    self.report(ViolationKind::Branches(BranchRule::OneOf { admitting: 0 }));
                    self.show_best(branches);
                }
                _ => {
                    let admitting = admitting.len();
                    self.report(ViolationKind::Branches(BranchRule::OneOf { admitting }));
                }
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
    let of_format = match found {
        "integer" => "int64",
        "number" => "float64",
        _ => "",
    };
    let is_number = types
        .iter()
        .any(|type_| ["integer", "number"].contains(type_));
    match known_format(schema) {
        // A number is told from another by its format.
        Some(format) if !has_text && !admits && of_format != format => missed(format, of_format),
        // The API server looks no further at a list in the place of such a text.
        Some(_) if has_text && !is_number => None,
        _ if admits => None,
        _ => missed(&types.join(","), found),
    }
}

/// The format, if the API server knows it beside the type.
fn known_format(schema: &Schema) -> Option<&str> {
    let format = schema.format.as_deref()?;
    let is_known = match schema.type_.filter(|_| !schema.int_or_string) {
        None | Some(JsonType::String) => {
            formats::KNOWN.contains(&format) && !formats::is_numeric(format)
        }
        Some(JsonType::Integer) => ["int32", "int64"].contains(&format),
        Some(JsonType::Number) => ["float", "double"].contains(&format),
        _ => false,
    };
    is_known.then_some(format)
}

/// A number and a bound.
#[derive(Clone, Copy)]
enum Compared {
    Whole(i64, i64),
    Float(f64, f64),
}

impl Compared {
    fn order(self) -> Ordering {
        match self {
            Self::Whole(number, bound) => number.cmp(&bound),
            Self::Float(number, bound) => number.total_cmp(&bound),
        }
    }

    fn is_multiple(self) -> bool {
        match self {
            Self::Whole(number, factor) => number.checked_rem(factor) == Some(0),
            Self::Float(number, factor) if factor < 1.0 => is_json_integer(1.0 / factor * number),
            Self::Float(number, factor) => is_json_integer(number / factor),
        }
    }

    /// The bound as it is compared.
    fn bound(self) -> Number {
        match self {
            Self::Whole(_, bound) => bound.into(),
            Self::Float(_, bound) => Number::from_f64(bound).unwrap_or_else(|| 0.into()),
        }
    }
}

/// Whether a value is one that `enum` lists, as Go converts one into the type of the other: null is
/// none, 1.5 is 1, and 88 is `"X"`.
fn matches_listed(listed: &Value, value: &Value) -> bool {
    match (listed, value) {
        (Value::Null, _) | (_, Value::Null) => false,
        (Value::Number(listed), Value::Number(value)) => match integer(listed) {
            Some(listed) => listed == cut(value),
            None => float(listed) == float(value),
        },
        (Value::String(listed), Value::Number(value)) => {
            let letter = value.as_u64().and_then(|code| u32::try_from(code).ok());
            let letter = letter.and_then(char::from_u32).map(String::from);
            letter.as_ref() == Some(listed)
        }
        _ => is_stored_as(listed, value),
    }
}

/// Whether a value is the listed one as a definition stores it: 2.0 as 2.
fn is_stored_as(listed: &Value, value: &Value) -> bool {
    match (listed, value) {
        (Value::Number(listed), Value::Number(value)) => match integer(listed) {
            Some(listed) => value.as_i64() == Some(listed),
            None => !value.is_i64() && float(listed) == float(value),
        },
        (Value::Array(listed), Value::Array(items)) => {
            let mut pairs = listed.iter().zip(items);
            listed.len() == items.len() && pairs.all(|(listed, item)| is_stored_as(listed, item))
        }
        (Value::Object(listed), Value::Object(members)) => {
            let has = |(name, listed)| {
                let member = members.get(name);
                member.is_some_and(|member| is_stored_as(listed, member))
            };
            listed.len() == members.len() && listed.iter().all(has)
        }
        _ => listed == value,
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

/// `3.0` is an integer to the API server.
fn is_whole(value: &Value) -> bool {
    let number = value.as_f64().filter(|_| value.is_f64());
    number.is_some_and(is_json_integer)
}

/// Whether a float is an integer, or nearly so, up to the last one that a float tells from the
/// next: `swag.IsFloat64AJSONInteger`.
fn is_json_integer(number: f64) -> bool {
    const LAST: f64 = 9_007_199_254_740_991.0;
    let (whole, rest) = (number.trunc(), number.fract());
    let is_near = whole != 0.0 && rest.abs() / (number.abs() + whole.abs()) < 1e-9;
    number.abs() <= LAST && (rest == 0.0 || is_near)
}

fn float(number: &Number) -> f64 {
    number.as_f64().unwrap_or_default()
}

/// A whole number of 64 bits, also if it is written as `3.0`.
fn integer(number: &Number) -> Option<i64> {
    number.as_i64().or_else(|| integer_of_float(float(number)))
}

/// Go reads the shortest text of a float, which is beyond 64 bits for the last of them.
fn integer_of_float(number: f64) -> Option<i64> {
    number.to_string().parse().ok()
}

/// A number without its fraction. Of one beyond 64 bits, Go on amd64 makes the least there is.
fn cut(number: &Number) -> i64 {
    let float = float(number);
    match number.as_i64() {
        Some(integer) => integer,
        None if float.abs() < 9_223_372_036_854_775_808.0 => float as i64,
        None => i64::MIN,
    }
}
