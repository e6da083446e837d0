//! Checks of a schema to which constraints have been applied: keywords that the API server refuses,
//! list types, merge keys, bounds that no value meets, and defaults, examples and enum members
//! against their type.

use genclient_apimachinery::strfmt;
use genclient_cel::re2::Pattern;
use genclient_schema::definition::bounds::{Bound, Trap, traps};
use genclient_schema::definition::{
    KeywordRule, SchemaErrorKind, keyword_errors, structural_errors,
};
use genclient_schema::values::{self, Step, Violation, ViolationKind};
use genclient_syntax::{Help, Json, JsonValue, Shape, Spanned, suggest};
use proc_macro2::Span;
use serde_json::{Number, Value};

use super::ConstraintApplier;
use crate::diagnostic::{Code, Diagnostic, Location};
use crate::known;
use crate::model::{JsonType, ListType, MapType, Schema};
use crate::resolve::explanation::Explanation;
use crate::resolve::json_values::to_json;
use crate::resolve::schema::messages;

impl ConstraintApplier<'_> {
    /// True if the attribute grammar has not checked the keys against the type: it could not
    /// determine the type, or an attribute overrides it.
    pub(super) fn has_unknown_shape(&self) -> bool {
        *self.shape == Shape::Unknown || self.is_unchecked
    }

    pub(super) fn check(&mut self, schema: &Schema) {
        self.check_bounds(schema);
        self.check_numbers(schema);
        self.check_pattern();
        self.check_format(schema);
        self.check_values(schema);
        let mark = self.sink.mark();
        self.check_default_of_type(schema);
        self.sink.code_since(mark, Code::Default);
        self.check_list(schema);
        self.check_structure(schema);
    }

    /// Checks that the bounds of the type and the field together leave at least one value.
    fn check_bounds(&mut self, schema: &Schema) {
        let attrs = self.attrs;
        let numbers = schema.minimum.as_ref().zip(schema.maximum.as_ref());
        let passed = |least: Option<u64>, most: Option<u64>| {
            least.zip(most).is_some_and(|(least, most)| most < least)
        };
        let bounds = [
            (
                numbers.is_some_and(|(minimum, maximum)| values::less(maximum, minimum)),
                attrs.minimum.as_ref().map(|bound| bound.span),
                attrs.maximum.as_ref().map(|bound| bound.span),
                self.span_in_extend(["minimum", "maximum"]),
            ),
            (
                passed(schema.min_length, schema.max_length),
                attrs.min_length.as_ref().map(|bound| bound.span),
                attrs.max_length.as_ref().map(|bound| bound.span),
                self.span_in_extend(["minLength", "maxLength"]),
            ),
            (
                passed(schema.min_items, schema.max_items),
                attrs.min_items.as_ref().map(|bound| bound.span),
                attrs.max_items.as_ref().map(|bound| bound.span),
                self.span_in_extend(["minItems", "maxItems"]),
            ),
            (
                passed(schema.min_properties, schema.max_properties),
                attrs.min_properties.as_ref().map(|bound| bound.span),
                attrs.max_properties.as_ref().map(|bound| bound.span),
                self.span_in_extend(["minProperties", "maxProperties"]),
            ),
        ];
        if let Some(most) = &attrs.max_properties
            && most.value < schema.required.len() as u64
        {
            let message = "no object can satisfy this bound: the type has more required fields";
            self.error(most.span, message, "remove it, or raise it");
        }
        for (passed, least, most, extended) in bounds {
            // If the attribute has both bounds, the attribute grammar has compared them.
            let one = least.xor(most).or(extended);
            if let Some(span) = one.filter(|_| passed) {
                self.error(
                    span,
                    "no value can satisfy both this bound and the bounds of the type",
                    "change it, or the bounds on the type",
                );
            }
        }
    }

    /// Returns the span of the value of the last of these keywords in `extend(…)`.
    fn span_in_extend(&self, keywords: [&str; 2]) -> Option<Span> {
        let mut extended = self.attrs.extend.iter().rev();
        let (_, value) = extended.find(|(key, _)| keywords.contains(&key.value.as_str()))?;
        Some(value.span)
    }

    /// Reports bounds that the API server misreads ([`Trap`]).
    fn check_numbers(&mut self, schema: &Schema) {
        let attrs = self.attrs;
        let format = attrs.format.as_ref().map(|format| format.span);
        for (bound, trap) in traps(schema) {
            let stated = match bound {
                Bound::Minimum => &attrs.minimum,
                Bound::Maximum => &attrs.maximum,
                Bound::MultipleOf => &attrs.multiple_of,
            };
            if let Some(stated) = stated {
                let Explanation { message, help } = messages::explain_misread_bound(trap);
                let finding = if trap.refuses_every_value() {
                    Diagnostic::error(message)
                } else {
                    Diagnostic::warning(message)
                };
                let at = Location::new(&self.module.source, stated.span);
                self.sink.push(finding.at(at).help(help));
            } else if let (Some(span), Trap::BeyondType) = (format, trap) {
                let message = "the bounds of the type are out of range for the format: the API \
                               server refuses every value";
                self.error(
                    span,
                    message,
                    Help::remove("remove it: the type implies it"),
                );
            }
            // Bounds of the type itself are reported at the type.
        }
    }

    fn check_pattern(&mut self) {
        let attrs = self.attrs;
        let of_keys = attrs.keys.iter().filter_map(|keys| keys.pattern.as_ref());
        for pattern in attrs.pattern.iter().chain(of_keys) {
            if let Err(error) = Pattern::parse(&pattern.value) {
                let at = Location::new(&self.module.source, pattern.span).inside(error.range);
                self.sink.push(
                    Diagnostic::error(error.message)
                        .with_code(Code::Pattern)
                        .at(at)
                        .help(error.help),
                );
            }
        }
    }

    fn check_format(&mut self, schema: &Schema) {
        let Some(format) = &self.attrs.format else {
            return;
        };
        if strfmt::is_numeric(&format.value) && schema.type_ == Some(JsonType::String) {
            self.error(
                format.span,
                format!(
                    "the API server does not support the format `{}` for strings",
                    format.value
                ),
                "remove it, or make the field a number",
            );
            return;
        }
        if strfmt::KNOWN.contains(&format.value.as_str()) {
            return;
        }
        let is_number = matches!(schema.type_, Some(JsonType::Integer | JsonType::Number));
        let help = if is_number {
            Help::remove("remove it: the type implies it")
        } else {
            messages::explain_unknown_format(&format.value)
        };
        self.error(
            format.span,
            format!(
                "the API server does not support the format `{}`",
                format.value
            ),
            help,
        );
    }

    /// Checks that keys which override the schema, such as `type` and `schema`, result in a
    /// structural schema.
    fn check_structure(&mut self, schema: &Schema) {
        let attrs = self.attrs;
        let overrides = [
            attrs.json_type.as_ref().map(|type_| type_.span),
            attrs.schemaless.span(),
            attrs.preserve_unknown_fields.span(),
            attrs.embedded_resource.span(),
            attrs.schema.as_ref().map(|schema| schema.span),
        ];
        let Some(span) = overrides.into_iter().flatten().next() else {
            return;
        };
        let mut errors = structural_errors(schema);
        if attrs.schema.is_some() {
            errors.extend(keyword_errors(schema));
        }
        // `check_values` reports a default beside the schema.
        errors.retain(|error| {
            let is_default = matches!(
                error.kind,
                SchemaErrorKind::Keyword(KeywordRule::Default(_))
            );
            !(is_default && error.path.is_empty() && attrs.default.is_some())
        });
        for error in &errors {
            match &attrs.schema {
                Some(written) => self.report_written(error, written),
                None => {
                    let Explanation { message, help } =
                        messages::explain_schema_error(error, false);
                    self.error(span, message, help.to_string());
                }
            }
        }
    }
}

impl ConstraintApplier<'_> {
    /// Checks that the items fit the list type and the merge keys.
    fn check_list(&mut self, schema: &Schema) {
        let Some(items) = &schema.items else {
            return;
        };
        if items.is_unknown() {
            return;
        }
        let attrs = self.attrs;
        for key in &attrs.list_map_keys {
            self.check_map_key(key, items);
        }
        let Some(list_type) = attrs.list_type.as_ref().map(|list_type| list_type.span) else {
            return;
        };
        let type_ = items.type_;
        let granular = match type_ {
            Some(JsonType::Object) => items.map_type != Some(MapType::Atomic),
            Some(JsonType::Array) => items
                .list_type
                .is_some_and(|list_type| list_type != ListType::Atomic),
            _ => false,
        };
        match schema.list_type {
            Some(ListType::Map)
                if type_ != Some(JsonType::Object) && !attrs.list_map_keys.is_empty() =>
            {
                self.error(
                    list_type,
                    "the items of a `map` list must be objects",
                    "write `list_type = \"set\"` or `list_type = \"atomic\"`, and remove `list_map_keys`",
                )
            }
            Some(ListType::Set) if granular => self.error(
                list_type,
                "the items of a `set` list must be scalars or atomic",
                "write `items(struct_type = \"atomic\")`, or a `map` list with `list_map_keys`",
            ),
            Some(ListType::Set | ListType::Map) if items.nullable => {
                self.error(
                    list_type,
                    "the items of a `set` or `map` list must not be nullable",
                    "use a list without `Option`",
                );
            }
            _ => {}
        }
    }

    /// Checks that a merge key is a scalar, non-nullable field that is required or has a default.
    fn check_map_key(&mut self, key: &Spanned<String>, items: &Schema) {
        if items.type_ != Some(JsonType::Object) {
            return;
        }
        let name = &key.value;
        let Some(property) = items.properties.get(name) else {
            let help = suggest::field(name, items.properties.keys().map(String::as_str));
            self.error(
                key.span,
                format!("no such field `{name}` in the items"),
                help,
            );
            return;
        };
        if matches!(property.type_, Some(JsonType::Object | JsonType::Array)) {
            self.error(
                key.span,
                format!("the map key `{name}` must be a scalar"),
                "use a string, number or boolean field",
            );
        } else if property.nullable {
            self.error(
                key.span,
                format!("the map key `{name}` must not be nullable"),
                "remove the `Option`, or add `#[serde(skip_serializing_if = \"Option::is_none\")]` and \
                 `#[crd(default = ..)]`",
            );
        } else if !items.required.contains(name) && property.default.is_none() {
            self.error(
                key.span,
                format!("the map key `{name}` must be required or have a default"),
                "make the field required, or give it a default: `#[crd(default = ..)]`",
            );
        }
    }
}

impl ConstraintApplier<'_> {
    fn check_values(&mut self, schema: &Schema) {
        let attrs = self.attrs;
        let named = [("default", &attrs.default), ("example", &attrs.example)];
        for (key, value) in named
            .into_iter()
            .filter_map(|(key, value)| Some((key, value.as_ref()?)))
        {
            let mark = self.sink.mark();
            self.check_value(key, value, schema);
            self.sink.code_since(mark, Code::Default);
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
    fn check_default_of_type(&mut self, schema: &Schema) {
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
                    messages::describe_violation(&violation.kind)
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
        let numbers = [&attrs.minimum, &attrs.maximum, &attrs.multiple_of]
            .into_iter()
            .flatten()
            .map(|bound| bound.span);
        let lengths = [
            &attrs.min_length,
            &attrs.max_length,
            &attrs.min_items,
            &attrs.max_items,
            &attrs.min_properties,
            &attrs.max_properties,
        ]
        .into_iter()
        .flatten()
        .map(|bound| bound.span);
        let texts = [&attrs.pattern, &attrs.format]
            .into_iter()
            .flatten()
            .map(|text| text.span);
        let values = attrs.enumeration.iter().map(|values| values.span);
        let applicators = attrs.applicators.iter().map(|(_, schemas)| schemas.span);
        numbers
            .chain(lengths)
            .chain(texts)
            .chain(values)
            .chain(applicators)
            .next()
    }

    fn check_value(&mut self, key: &str, value: &Json, schema: &Schema) {
        if !self.has_unknown_shape() && !self.shape.admits(value) {
            // The attribute grammar has reported the value.
            return;
        }
        let stated = to_json(value);
        let mistakes = match key {
            "default" => values::mistakes_of_default(schema, &stated),
            _ => values::mistakes(schema, &stated),
        };
        for violation in mistakes.iter().filter(|one| !is_of_unknown(one, &mistakes)) {
            let part = part_at_path(value, &violation.path);
            let is_null = violation.path.is_empty() && value.value == JsonValue::Null;
            let subject = name_value(key, value, &violation.path);
            let Explanation { message, help } = if is_null && key == "default" {
                let help = Help::remove("remove it: an absent field stays absent");
                Explanation::new(messages::describe_violation(&violation.kind), help)
            } else if violation.kind == ViolationKind::UnknownField {
                explain_unknown_field(schema, &violation.path)
            } else {
                let at = schema_at(schema, &violation.path);
                let listed = at.map_or(&[][..], |at| at.enum_.as_slice());
                let help = match (&violation.kind, listed) {
                    (ViolationKind::Type { .. }, [_, ..]) => one_of_values(&to_json(part), listed),
                    (kind, _) => in_place(kind, &to_json(part), at),
                };
                Explanation::new(messages::describe_violation(&violation.kind), help)
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
fn explain_unknown_field(schema: &Schema, path: &[Step]) -> Explanation {
    let (name, parents) = match path.split_last() {
        Some((Step::Member(name) | Step::Key(name), parents)) => (name.as_str(), parents),
        _ => ("", path),
    };
    let Some(object) = schema_at(schema, parents) else {
        let message = messages::describe_violation(&ViolationKind::UnknownField);
        return Explanation::new(message, Help::remove("remove it"));
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
        let message = messages::describe_violation(&ViolationKind::UnknownField);
        return Explanation::new(message, suggest::field(name, names()));
    }
    let help = match suggest::closest(name, names()) {
        Some(meant) => Help::did_you_mean(name, meant),
        None => format!(
            "write one of `{}`",
            names().collect::<Vec<_>>().join("`, `")
        )
        .into(),
    };
    Explanation::new("is not a variant of the type", help)
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
pub(super) fn one_of_values(value: &Value, listed: &[Value]) -> Help {
    let texts = listed.iter().filter_map(Value::as_str);
    let meant = value
        .as_str()
        .and_then(|text| suggest::closest(text, texts));
    match meant {
        Some(meant) => Help::did_you_mean(value, format!("{meant:?}")),
        None => {
            let listed: Vec<_> = listed.iter().map(|value| format!("`{value}`")).collect();
            format!("write one of {}", listed.join(", ")).into()
        }
    }
}

/// Help for a value that the type does not admit.
fn in_place(kind: &ViolationKind, value: &Value, schema: Option<&Schema>) -> Help {
    match kind {
        ViolationKind::Enum(listed) => return one_of_values(value, listed),
        ViolationKind::Minimum { bound, exclusive } => {
            if *exclusive {
                format!("write a value greater than {}", format_number(bound))
            } else {
                format!("write {} or more", format_number(bound))
            }
        }
        ViolationKind::Maximum { bound, exclusive } => {
            if *exclusive {
                format!("write a value less than {}", format_number(bound))
            } else {
                format!("write {} or less", format_number(bound))
            }
        }
        ViolationKind::Pattern(pattern) if *pattern == known::duration_pattern() => {
            DURATION_HELP.to_owned()
        }
        ViolationKind::Pattern(pattern) => format!("write a value that matches `{pattern}`"),
        ViolationKind::Type { .. } | ViolationKind::Format(_) => sample_help(value, schema),
        _ => "write a value that the type accepts".to_owned(),
    }
    .into()
}

const DURATION_HELP: &str = "write hours, minutes and seconds, as in `\"1h30m\"`";

/// Help with a value of the type, if its text has a form that few know by heart.
fn sample_help(value: &Value, schema: Option<&Schema>) -> String {
    let format = schema.and_then(|schema| schema.format.as_deref());
    let pattern = schema.and_then(|schema| schema.pattern.as_deref());
    match (format, value) {
        (Some("date-time"), Value::String(date)) if is_date(date) => {
            format!("write `\"{date}T00:00:00Z\"`")
        }
        (Some("date-time"), _) => "write a time such as `\"2020-01-01T00:00:00Z\"`".to_owned(),
        _ if format == Some("duration") || pattern == Some(&*known::duration_pattern()) => {
            DURATION_HELP.to_owned()
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
fn format_number(number: &Number) -> String {
    let text = number.to_string();
    text.strip_suffix(".0").unwrap_or(&text).to_owned()
}

/// Names a value or a part of it in a message. A value of more than 40 bytes is not shown.
fn name_value(key: &str, value: &Json, path: &[Step]) -> String {
    if !path.is_empty() {
        return format!("`{}` of `{key}`", values::display(path));
    }
    let shown = to_json(value).to_string();
    if shown.len() <= 40 {
        format!("the value {shown} of `{key}`")
    } else {
        format!("the value of `{key}`")
    }
}

/// Returns the part of a value at a path, or the part's nearest ancestor in the attribute.
fn part_at_path<'v>(value: &'v Json, path: &[Step]) -> &'v Json {
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
