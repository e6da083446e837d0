//! `keys(…)`: constraints on map keys as CEL rules, since schemas cannot express them.

use genclient_cel::re2::Pattern;
use genclient_syntax::SchemaAttrs;
use proc_macro2::Span;

use super::{Apply, json};
use crate::model::{JsonType, Schema, Validation};

impl Apply<'_> {
    /// Adds a rule for each constraint in `keys(…)`.
    ///
    /// A later step warns about unchecked keys if `schema.keys`, the schema of the key type, is
    /// set. To prevent the warning, `schema.keys` is cleared if `keys(…)` or a rule with
    /// `self.all(` checks the keys.
    pub(super) fn map_keys(&mut self, schema: &mut Schema) {
        let stated = self.attrs.keys.as_deref();
        let mut rules = schema.validations.iter();
        if rules.any(|rule| rule.rule.contains("self.all("))
            || stated.is_some_and(|stated| restricts(stated, schema.keys.as_deref()))
        {
            schema.keys = None;
        }
        let Some(keys) = stated else {
            return;
        };
        let mut conditions = conditions(keys);
        if let Some(format) = &keys.format {
            match FORMATS.iter().find(|(name, _)| *name == format.value) {
                Some((name, function)) => conditions.push((
                    format.span,
                    format!("!format.{function}().validate(k).hasValue()"),
                    format!("keys have the format {name}"),
                )),
                None => {
                    let names: Vec<_> = FORMATS
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
        let rules = conditions
            .into_iter()
            .map(|(span, condition, message)| Validation {
                rule: format!("self.all(k, {condition})"),
                message: Some(message),
                source: Some(self.rule_at(span)),
                ..Validation::default()
            });
        schema.validations.extend(rules);
    }
}

/// True if `keys(…)` restricts keys enough to prevent the warning about unchecked keys. A pattern,
/// a format or enum values in `keys(…)` are enough. If the key type is a string that itself has
/// none of these three, lengths in `keys(…)` are enough, too.
fn restricts(stated: &SchemaAttrs, keys: Option<&Schema>) -> bool {
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

/// CEL conditions on a key `k` for the constraints except `format`, each with its span and message.
fn conditions(keys: &SchemaAttrs) -> Vec<(Span, String, String)> {
    let mut conditions = Vec::new();
    if let Some(least) = &keys.min_length {
        let span = least.span;
        let least = least.value;
        conditions.push((
            span,
            format!("size(k) >= {least}"),
            format!("keys have {} or more", characters(least)),
        ));
    }
    if let Some(most) = &keys.max_length {
        let span = most.span;
        let most = most.value;
        conditions.push((
            span,
            format!("size(k) <= {most}"),
            format!("keys have {} or fewer", characters(most)),
        ));
    }
    if let Some(pattern) = &keys.pattern
        && Pattern::parse(&pattern.value).is_ok()
    {
        let span = pattern.span;
        let pattern = &pattern.value;
        conditions.push((
            span,
            format!("k.matches({})", quoted(pattern)),
            format!("keys match {pattern}"),
        ));
    }
    if let Some(values) = &keys.enumeration {
        let span = values.span;
        let values: Vec<_> = values.value.iter().map(json).collect();
        let texts: Vec<_> = values.iter().filter_map(|value| value.as_str()).collect();
        let listed: Vec<_> = texts.iter().map(|text| quoted(text)).collect();
        conditions.push((
            span,
            format!("k in [{}]", listed.join(", ")),
            format!("keys are one of {}", texts.join(", ")),
        ));
    }
    conditions
}

fn characters(count: u64) -> String {
    match count {
        1 => "1 character".to_owned(),
        count => format!("{count} characters"),
    }
}

/// Writes a text as a CEL string literal.
fn quoted(text: &str) -> String {
    let escaped = text.replace('\\', "\\\\").replace('\'', "\\'");
    format!("'{}'", escaped.replace('\n', "\\n").replace('\r', "\\r"))
}

/// Formats that a rule can check, each with its function in CEL's `format` library.
const FORMATS: &[(&str, &str)] = &[
    ("k8s-short-name", "dns1123Label"),
    ("k8s-long-name", "dns1123Subdomain"),
    ("uri", "uri"),
    ("uuid", "uuid"),
    ("byte", "byte"),
    ("date", "date"),
    ("date-time", "datetime"),
];

pub(in crate::resolve::schema) fn names_of_key_formats() -> impl Iterator<Item = &'static str> {
    FORMATS.iter().map(|(name, _)| *name)
}
