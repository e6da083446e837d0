//! Validation of stated values: defaults, examples and enum members against their type.

use genclient_syntax::{Json, JsonValue, suggest};
use proc_macro2::Span;
use serde_json::{Number, Value};

use super::{Apply, json};
use crate::known;
use crate::model::Schema;
use crate::resolve::schema::words;
use genclient_schema::values::{self, Step, Violation, ViolationKind};

impl Apply<'_> {
    pub(super) fn check_values(&mut self, schema: &Schema) {
        let attrs = self.attrs;
        let named = [("default", &attrs.default), ("example", &attrs.example)];
        for (key, value) in named
            .into_iter()
            .filter_map(|(key, value)| Some((key, value.as_ref()?)))
        {
            self.check_value(key, value, schema);
        }
        if let Some(values) = &attrs.enumeration {
            // A nullable schema has the values of `enum` in `allOf`.
            let mut all_of = schema.all_of.clone();
            all_of.retain(|branch| branch.enum_.is_empty());
            let of_any_value = Schema {
                enum_: Vec::new(),
                all_of,
                default: None,
                ..schema.clone()
            };
            for value in &values.value {
                self.check_value("enum", value, &of_any_value);
            }
        }
    }

    /// Checks the default of the type against the constraints of the field.
    pub(super) fn check_default_of_type(&mut self, schema: &Schema) {
        let (Some(default), Some(span)) = (&schema.default, self.narrows()) else {
            return;
        };
        for violation in values::mistakes_of_default(schema, default) {
            let part = match &violation.path[..] {
                [] => default.to_string(),
                path => format!("`{}`", values::display(path)),
            };
            self.error(
                span,
                format!(
                    "invalid default of the type: {part} {}",
                    words::violation(&violation.kind)
                ),
                "set another default: `default = ..`",
            );
        }
    }

    /// Returns the span of a key that restricts the values of the type. `None` if the attribute has
    /// no such key, or if it has a default of its own.
    fn narrows(&self) -> Option<Span> {
        let attrs = self.attrs;
        if attrs.default.is_some() {
            return None;
        }
        let numbers = [&attrs.minimum, &attrs.maximum, &attrs.multiple_of];
        let numbers = numbers.into_iter().flatten().map(|bound| bound.span);
        let lengths = [
            &attrs.min_length,
            &attrs.max_length,
            &attrs.min_items,
            &attrs.max_items,
            &attrs.min_properties,
            &attrs.max_properties,
        ];
        let lengths = lengths.into_iter().flatten().map(|bound| bound.span);
        let texts = [&attrs.pattern, &attrs.format];
        let texts = texts.into_iter().flatten().map(|text| text.span);
        let values = attrs.enumeration.iter().map(|values| values.span);
        let junctors = attrs.junctors.iter().map(|(_, schemas)| schemas.span);
        let stated = numbers.chain(lengths).chain(texts).chain(values);
        stated.chain(junctors).next()
    }

    fn check_value(&mut self, key: &str, value: &Json, schema: &Schema) {
        if !self.has_unknown_shape() && !self.shape.admits(value) {
            // The attribute grammar has reported the value.
            return;
        }
        let stated = json(value);
        let mistakes = match key {
            "default" => values::mistakes_of_default(schema, &stated),
            _ => values::mistakes(schema, &stated),
        };
        for violation in mistakes.iter().filter(|one| !is_of_unknown(one, &mistakes)) {
            let part = part(value, &violation.path);
            let is_null = violation.path.is_empty() && value.value == JsonValue::Null;
            let subject = subject(key, value, &violation.path);
            let (message, help) = if is_null && key == "default" {
                let help = "remove it: an absent field stays absent".to_owned();
                (words::violation(&violation.kind), help)
            } else if violation.kind == ViolationKind::UnknownField {
                unknown_field(schema, &violation.path)
            } else {
                let at = schema_at(schema, &violation.path);
                let listed = at.map_or(&[][..], |at| at.enum_.as_slice());
                let help = match (&violation.kind, listed) {
                    (ViolationKind::Type { .. }, [_, ..]) => one_of_values(&json(part), listed),
                    (kind, _) => in_place(kind, &json(part), at),
                };
                (words::violation(&violation.kind), help)
            };
            self.error(part.span, format!("{subject} {message}"), help);
        }
    }
}

/// True if the violation likely follows from an unknown field of the same object, which is reported
/// as well. For example, the unknown field is a misspelt required field, or the misspelt name of an
/// enum's variant, so that no branch of `oneOf` matches.
fn is_of_unknown(violation: &Violation, all: &[Violation]) -> bool {
    let mut unknown = all
        .iter()
        .filter_map(|other| match other.path.split_last() {
            Some((Step::Member(name) | Step::Key(name), parent)) => {
                let is_here =
                    other.kind == ViolationKind::UnknownField && *parent == *violation.path;
                is_here.then_some(name)
            }
            _ => None,
        });
    match &violation.kind {
        ViolationKind::Branches(_) => unknown.next().is_some(),
        ViolationKind::Required(missing) => {
            unknown.any(|name| suggest::closest(name, [missing.as_str()]).is_some())
        }
        _ => false,
    }
}

/// Message without its subject, and help, for a field that the schema does not declare.
fn unknown_field(schema: &Schema, path: &[Step]) -> (String, String) {
    let (name, parents) = match path.split_last() {
        Some((Step::Member(name) | Step::Key(name), parents)) => (name.as_str(), parents),
        _ => ("", path),
    };
    let Some(object) = schema_at(schema, parents) else {
        let message = words::violation(&ViolationKind::UnknownField);
        return (message, "remove it".to_owned());
    };
    let names = || object.properties.keys().map(String::as_str);
    let is_variant = |branch: &Schema| {
        let only = branch.required.len() == 1;
        only && branch
            .properties
            .keys()
            .all(|name| branch.required.contains(name))
    };
    let of_branch = |name: &String| {
        let mut branches = object.one_of.iter();
        branches.any(|branch| branch.required.contains(name))
    };
    let is_enum = object.one_of.iter().all(is_variant) && object.properties.keys().all(of_branch);
    if object.one_of.is_empty() || !is_enum {
        let message = words::violation(&ViolationKind::UnknownField);
        return (message, suggest::field(name, names()));
    }
    let help = match suggest::closest(name, names()) {
        Some(meant) => format!("did you mean `{meant}`?"),
        None => format!(
            "write one of `{}`",
            names().collect::<Vec<_>>().join("`, `")
        ),
    };
    ("is not a variant of the type".to_owned(), help)
}

/// Returns the schema at a path of a value.
fn schema_at<'s>(schema: &'s Schema, path: &[Step]) -> Option<&'s Schema> {
    path.iter().try_fold(schema, |schema, step| match step {
        Step::Member(name) => schema.properties.get(name).map(AsRef::as_ref),
        Step::Key(_) => schema.additional_properties.as_deref(),
        Step::Item(_) => schema.items.as_deref(),
    })
}

/// Help that names the listed value that `value` likely misspells, or else all listed values.
pub(super) fn one_of_values(value: &Value, listed: &[Value]) -> String {
    let texts = listed.iter().filter_map(Value::as_str);
    let meant = value
        .as_str()
        .and_then(|text| suggest::closest(text, texts));
    match meant {
        Some(meant) => format!("did you mean `{meant:?}`?"),
        None => {
            let listed: Vec<_> = listed.iter().map(|value| format!("`{value}`")).collect();
            format!("write one of {}", listed.join(", "))
        }
    }
}

/// Help for a value that the type does not admit.
fn in_place(kind: &ViolationKind, value: &Value, schema: Option<&Schema>) -> String {
    match kind {
        ViolationKind::Enum(listed) => one_of_values(value, listed),
        ViolationKind::Minimum { bound, exclusive } => match exclusive {
            true => format!("write a value greater than {}", plain(bound)),
            false => format!("write {} or more", plain(bound)),
        },
        ViolationKind::Maximum { bound, exclusive } => match exclusive {
            true => format!("write a value less than {}", plain(bound)),
            false => format!("write {} or less", plain(bound)),
        },
        ViolationKind::Pattern(pattern) if *pattern == known::duration_pattern() => {
            DURATION.to_owned()
        }
        ViolationKind::Pattern(pattern) => format!("write a value that matches `{pattern}`"),
        ViolationKind::Type { .. } | ViolationKind::Format(_) => sample(value, schema),
        _ => "write a value that the type accepts".to_owned(),
    }
}

const DURATION: &str = "write hours, minutes and seconds, as in `\"1h30m\"`";

/// Help with a value of the type, if its text has a form that few know by heart.
fn sample(value: &Value, schema: Option<&Schema>) -> String {
    let format = schema.and_then(|schema| schema.format.as_deref());
    let pattern = schema.and_then(|schema| schema.pattern.as_deref());
    match (format, value) {
        (Some("date-time"), Value::String(date)) if is_date(date) => {
            format!("write `\"{date}T00:00:00Z\"`")
        }
        (Some("date-time"), _) => "write a time such as `\"2020-01-01T00:00:00Z\"`".to_owned(),
        _ if format == Some("duration") || pattern == Some(&*known::duration_pattern()) => {
            DURATION.to_owned()
        }
        _ => "write a value that the type accepts".to_owned(),
    }
}

/// True for a date such as `2020-01-01`.
fn is_date(text: &str) -> bool {
    let digits = text.split('-').map(|part| {
        let is_number = part.bytes().all(|byte| byte.is_ascii_digit());
        is_number.then_some(part.len())
    });
    digits.eq([Some(4), Some(2), Some(2)])
}

/// Formats a number without `.0`.
fn plain(number: &Number) -> String {
    let text = number.to_string();
    text.strip_suffix(".0").unwrap_or(&text).to_owned()
}

/// Names a value or a part of it in a message. A value of more than 40 bytes is not shown.
fn subject(key: &str, value: &Json, path: &[Step]) -> String {
    if !path.is_empty() {
        return format!("`{}` of `{key}`", values::display(path));
    }
    let shown = json(value).to_string();
    if shown.len() <= 40 {
        format!("the value {shown} of `{key}`")
    } else {
        format!("the value of `{key}`")
    }
}

/// Returns the part of a value at a path, or the part's nearest ancestor in the attribute.
fn part<'v>(value: &'v Json, path: &[Step]) -> &'v Json {
    let mut part = value;
    for step in path {
        let next = match (step, &part.value) {
            (Step::Item(at), JsonValue::Array(items)) => items.get(*at),
            (Step::Member(name) | Step::Key(name), JsonValue::Object(members)) => members
                .iter()
                .find(|(key, _)| key.value == *name)
                .map(|(_, value)| value),
            _ => None,
        };
        match next {
            Some(next) => part = next,
            None => break,
        }
    }
    part
}
