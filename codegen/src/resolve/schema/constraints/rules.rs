//! Annotations and CEL rules of `#[crd(…)]`: defaults, examples, titles, descriptions, stated
//! rules, and rules of immutable fields, of `exactly_one_of` and similar keys, and of map keys.

use genclient_cel::re2::Pattern;
use genclient_syntax as syntax;
use genclient_syntax::{ExternalDocs, OneOf, OneOfKind, SchemaAttrs, Spanned, suggest};
use proc_macro2::Span;
use serde_json::{Map, Value};

use super::{ConstraintApplier, RENAME_HELP};
use crate::diagnostic::Location;
use crate::model::{JsonType, Schema, SourceId, Validation};
use crate::resolve::cel;
use crate::resolve::json_values::to_json;
use crate::resolve::schema::union;

impl ConstraintApplier<'_> {
    pub(super) fn annotate(&mut self, schema: &mut Schema) {
        let attrs = self.attrs;
        if let Some(default) = &attrs.default {
            schema.default = Some(to_json(default));
        }
        if let Some(example) = &attrs.example {
            schema.example = Some(to_json(example));
        }
        if let Some(title) = &attrs.title {
            schema.title = Some(title.value.clone());
        }
        if let Some(description) = &attrs.description {
            let text = Some(description.value.clone());
            schema.description = text.filter(|text| !text.is_empty());
        }
        if let Some(docs) = &attrs.external_docs {
            schema.external_docs = Some(external_docs(docs));
        }
        if attrs.nullable.is_set() && !schema.nullable {
            schema.nullable = true;
            union::admit_null(schema);
        }
        let stated = attrs.validations.iter();
        let mut rules: Vec<_> = stated.map(|rule| self.convert_rule(rule)).collect();
        if let Some(span) = attrs.immutable.span() {
            rules.push(Validation {
                source: Some(self.rule_at(span)),
                ..immutable_rule()
            });
        }
        rules.append(&mut schema.validations);
        schema.validations = rules;
    }

    fn convert_rule(&mut self, rule: &syntax::Validation) -> Validation {
        let text =
            |value: &Option<Spanned<String>>| value.as_ref().map(|value| value.value.clone());
        let place = |value: &Spanned<String>| Location::new(&self.module.source, value.span);
        let field_path = rule.field_path.as_ref().map(place);
        let message_expression = rule.message_expression.as_ref().map(place);
        let source = self
            .rule_locations
            .add(place(&rule.rule), field_path, message_expression);
        Validation {
            rule: rule.rule.value.clone(),
            message: text(&rule.message),
            message_expression: text(&rule.message_expression),
            reason: rule
                .reason
                .as_ref()
                .map(|reason| reason.value.as_str().to_owned()),
            field_path: text(&rule.field_path),
            optional_old_self: rule.optional_old_self.is_set().then_some(true),
            source: Some(source),
        }
    }
}

fn external_docs(docs: &ExternalDocs) -> Value {
    let mut object = Map::new();
    object.insert("url".into(), docs.url.value.clone().into());
    if let Some(description) = &docs.description {
        object.insert("description".into(), description.value.clone().into());
    }
    Value::Object(object)
}

fn immutable_rule() -> Validation {
    Validation {
        rule: "self == oldSelf".to_owned(),
        message: Some("field is immutable".to_owned()),
        ..Validation::default()
    }
}

/// Returns the rule that an optional immutable field cannot be removed once it is set. The rule
/// belongs to the object with the field.
///
/// `None` if CEL cannot express the field's name.
pub(in crate::resolve::schema) fn once_set_rule(
    name: &str,
    source: Option<SourceId>,
) -> Option<Validation> {
    let field = cel::escape(name)?;
    Some(Validation {
        rule: format!("!has(oldSelf.{field}) || has(self.{field})"),
        message: Some(format!("field {name} is immutable once set")),
        source,
        ..Validation::default()
    })
}

/// True for a rule of [`once_set_rule`] on a field of `schema`. An optional flattened type may have
/// such rules, but no others: a rule must hold for objects that never had the fields of the type,
/// and `!has(oldSelf.field) || …` does.
pub(in crate::resolve::schema) fn is_once_set(rule: &Validation, schema: &Schema) -> bool {
    let names = schema.properties.keys();
    rule.source.is_some()
        && names
            .filter_map(|name| once_set_rule(name, None))
            .any(|known| known == *rule)
}

/// Returns the source id of the rule that `immutable` adds to a schema.
pub(in crate::resolve::schema) fn immutable_at(schema: &Schema) -> Option<SourceId> {
    let mut rules = schema.validations.iter();
    rules.find(|rule| **rule == immutable_rule())?.source
}

impl ConstraintApplier<'_> {
    /// Adds a rule for each key such as `exactly_one_of`.
    pub(super) fn add_one_of_rules(&mut self, schema: &mut Schema) {
        let attrs = self.attrs;
        // controller-gen sorts the rules by the kind of limit.
        let mut choices: Vec<_> = attrs.one_of.iter().collect();
        choices.sort_by_key(|choice| choice.kind);
        for choice in choices {
            let known = choice
                .fields
                .iter()
                .map(|field| self.check_choice(field, schema));
            if known.collect::<Vec<_>>().into_iter().all(|known| known) {
                schema.validations.push(Validation {
                    source: Some(self.rule_at(choice.span)),
                    ..one_of_rule(choice)
                });
            }
        }
    }

    pub(super) fn report_missing_field(&mut self, name: &str, schema: &Schema, span: Span) {
        let help = suggest::field(name, schema.properties.keys().map(String::as_str));
        self.error(span, format!("no such field `{name}`"), help);
    }

    /// Checks that a field in `exactly_one_of = […]` or a similar list can be unset: it is not
    /// required and has no default. Returns false if a rule cannot refer to the field.
    fn check_choice(&mut self, field: &Spanned<String>, schema: &Schema) -> bool {
        let name = &field.value;
        if name.contains('.') || schema.is_unknown() {
            // The error has been reported: the grammar refuses a path, and a schema is unknown only
            // after an error in its type.
            return false;
        }
        let Some(property) = schema.properties.get(name) else {
            self.report_missing_field(name, schema, field.span);
            return false;
        };
        if cel::escape(name).is_none() {
            self.error(
                field.span,
                format!("a rule cannot refer to the field `{name}`"),
                RENAME_HELP,
            );
            return false;
        }
        if schema.required.contains(name) {
            self.error(
                field.span,
                format!("`{name}` is required, so it is always set"),
                "make the field an `Option`",
            );
        } else if property.default.is_some() {
            self.error(
                field.span,
                format!("`{name}` has a default, so it is always set"),
                "remove the default, and make the field an `Option`",
            );
        }
        true
    }
}

fn one_of_rule(choice: &OneOf) -> Validation {
    let names: Vec<_> = choice
        .fields
        .iter()
        .map(|field| field.value.as_str())
        .collect();
    let has = names
        .iter()
        .filter_map(|name| cel::escape(name))
        .map(|name| format!("has(self.{name})"));
    let sum = || {
        let ones = has.clone().map(|has| format!("({has}?1:0)"));
        ones.collect::<Vec<_>>().join("+")
    };
    let named = names.join(" ");
    let (rule, message) = match choice.kind {
        OneOfKind::AtMost => (
            format!("{} <= 1", sum()),
            format!("at most one of the fields in [{named}] may be set"),
        ),
        OneOfKind::Exactly => (
            format!("{} == 1", sum()),
            format!("exactly one of the fields in [{named}] must be set"),
        ),
        OneOfKind::AtLeast => (
            has.clone().collect::<Vec<_>>().join("||"),
            format!("at least one of the fields in [{named}] must be set"),
        ),
    };
    Validation {
        rule,
        message: Some(message),
        ..Validation::default()
    }
}

impl ConstraintApplier<'_> {
    /// Adds a rule for each constraint in `keys(…)`.
    ///
    /// A later step warns about unchecked keys if `schema.keys`, the schema of the key type, is
    /// set. To prevent the warning, `schema.keys` is cleared if `keys(…)` or a rule with
    /// `self.all(` checks the keys.
    pub(super) fn add_key_rules(&mut self, schema: &mut Schema) {
        let stated = self.attrs.keys.as_deref();
        let mut rules = schema.validations.iter();
        if rules.any(|rule| rule.rule.contains("self.all("))
            || stated.is_some_and(|stated| restricts_keys(stated, schema.keys.as_deref()))
        {
            schema.keys = None;
        }
        let Some(keys) = stated else {
            return;
        };
        let mut conditions = key_conditions(keys);
        if let Some(format) = &keys.format {
            match FORMAT_CONDITIONS
                .iter()
                .find(|(name, _)| *name == format.value)
            {
                Some((name, function)) => conditions.push(KeyCondition {
                    span: format.span,
                    condition: format!("!format.{function}().validate(k).hasValue()"),
                    message: format!("keys have the format {name}"),
                }),
                None => {
                    let names: Vec<_> = FORMAT_CONDITIONS
                        .iter()
                        .map(|(name, _)| format!("`{name}`"))
                        .collect();
                    self.error(
                        format.span,
                        format!(
                            "the format `{}` is not supported for the keys of a map",
                            format.value
                        ),
                        format!("write one of {}, or a `pattern`", names.join(", ")),
                    );
                }
            }
        }
        let rules = conditions.into_iter().map(|key| Validation {
            rule: format!("self.all(k, {})", key.condition),
            message: Some(key.message),
            source: Some(self.rule_at(key.span)),
            ..Validation::default()
        });
        schema.validations.extend(rules);
    }
}

/// True if `keys(…)` restricts keys enough to prevent the warning about unchecked keys. A pattern,
/// a format or enum values in `keys(…)` are enough. If the key type is a string that itself has
/// none of these three, lengths in `keys(…)` are enough, too.
fn restricts_keys(stated: &SchemaAttrs, keys: Option<&Schema>) -> bool {
    let takes_texts = |keys: &Schema| {
        keys.type_ == Some(JsonType::String)
            && keys.enum_.is_empty()
            && keys.pattern.is_none()
            && keys.format.is_none()
    };
    stated.pattern.is_some()
        || stated.enumeration.is_some()
        || stated.format.is_some()
        || keys.is_none_or(takes_texts)
}

/// A CEL condition on a map key `k`.
struct KeyCondition {
    /// Span of the constraint.
    span: Span,
    condition: String,
    message: String,
}

/// Returns the conditions for the constraints of keys except `format`.
fn key_conditions(keys: &SchemaAttrs) -> Vec<KeyCondition> {
    let mut conditions = Vec::new();
    if let Some(least) = &keys.min_length {
        conditions.push(KeyCondition {
            span: least.span,
            condition: format!("size(k) >= {}", least.value),
            message: format!("keys have {} or more", count_characters(least.value)),
        });
    }
    if let Some(most) = &keys.max_length {
        conditions.push(KeyCondition {
            span: most.span,
            condition: format!("size(k) <= {}", most.value),
            message: format!("keys have {} or fewer", count_characters(most.value)),
        });
    }
    if let Some(pattern) = &keys.pattern
        && Pattern::parse(&pattern.value).is_ok()
    {
        conditions.push(KeyCondition {
            span: pattern.span,
            condition: format!("k.matches({})", quote_for_cel(&pattern.value)),
            message: format!("keys match {}", pattern.value),
        });
    }
    if let Some(values) = &keys.enumeration {
        let stated: Vec<_> = values.value.iter().map(to_json).collect();
        let texts: Vec<_> = stated.iter().filter_map(|value| value.as_str()).collect();
        let listed: Vec<_> = texts.iter().map(|text| quote_for_cel(text)).collect();
        conditions.push(KeyCondition {
            span: values.span,
            condition: format!("k in [{}]", listed.join(", ")),
            message: format!("keys are one of {}", texts.join(", ")),
        });
    }
    conditions
}

fn count_characters(count: u64) -> String {
    match count {
        1 => "1 character".to_owned(),
        count => format!("{count} characters"),
    }
}

/// Writes a text as a CEL string literal.
fn quote_for_cel(text: &str) -> String {
    let escaped = text.replace('\\', "\\\\").replace('\'', "\\'");
    format!("'{}'", escaped.replace('\n', "\\n").replace('\r', "\\r"))
}

/// Formats that a rule can check, each with its function in CEL's `format` library.
const FORMAT_CONDITIONS: &[(&str, &str)] = &[
    ("k8s-short-name", "dns1123Label"),
    ("k8s-long-name", "dns1123Subdomain"),
    ("uri", "uri"),
    ("uuid", "uuid"),
    ("byte", "byte"),
    ("date", "date"),
    ("date-time", "datetime"),
];

pub(in crate::resolve::schema) fn names_of_key_formats() -> impl Iterator<Item = &'static str> {
    FORMAT_CONDITIONS.iter().map(|(name, _)| *name)
}
