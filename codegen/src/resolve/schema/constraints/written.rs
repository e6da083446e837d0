//! Schemas written as JSON in attributes: check of their keys, and locations of errors in them.

use genclient_schema::definition::{
    KeywordRule, MergeRule, SchemaError, SchemaErrorKind, SchemaPathStep, StructureRule,
};
use genclient_syntax::{Json, JsonValue, Spanned, suggest};
use heck::ToLowerCamelCase;
use proc_macro2::Span;

use super::Apply;

/// Form that the value of a key must have.
#[derive(Clone, Copy)]
enum Form {
    Schema,
    Schemas,
    SchemasByName,
    Values,
    Boolean,
    Number,
    Count,
    Text,
    Texts,
    /// Any JSON here; deserialization of the schema checks the value.
    Other,
}

const KEYS: &[(&str, Form)] = &[
    ("additionalProperties", Form::Other),
    ("allOf", Form::Schemas),
    ("anyOf", Form::Schemas),
    ("default", Form::Other),
    ("description", Form::Text),
    ("enum", Form::Values),
    ("example", Form::Other),
    ("exclusiveMaximum", Form::Boolean),
    ("exclusiveMinimum", Form::Boolean),
    ("externalDocs", Form::Other),
    ("format", Form::Text),
    ("items", Form::Schema),
    ("maxItems", Form::Count),
    ("maxLength", Form::Count),
    ("maxProperties", Form::Count),
    ("maximum", Form::Number),
    ("minItems", Form::Count),
    ("minLength", Form::Count),
    ("minProperties", Form::Count),
    ("minimum", Form::Number),
    ("multipleOf", Form::Number),
    ("not", Form::Schema),
    ("nullable", Form::Boolean),
    ("oneOf", Form::Schemas),
    ("pattern", Form::Text),
    ("properties", Form::SchemasByName),
    ("required", Form::Texts),
    ("title", Form::Text),
    ("type", Form::Other),
    ("x-kubernetes-embedded-resource", Form::Boolean),
    ("x-kubernetes-int-or-string", Form::Boolean),
    ("x-kubernetes-list-map-keys", Form::Texts),
    ("x-kubernetes-list-type", Form::Other),
    ("x-kubernetes-map-type", Form::Other),
    ("x-kubernetes-preserve-unknown-fields", Form::Boolean),
    ("x-kubernetes-validations", Form::Other),
];

impl Apply<'_> {
    /// Reports keys that a CRD schema does not allow, and values that do not have the form of their
    /// key. Returns true if there are no errors.
    pub(super) fn check_written(&mut self, written: &Json) -> bool {
        let JsonValue::Object(members) = &written.value else {
            let help = "write its keys in braces: `{ \"maxLength\": 63 }`";
            self.error(written.span, "a schema must be an object", help);
            return false;
        };
        let mut is_schema = true;
        for (key, value) in members {
            is_schema &= self.check_key(key, value);
        }
        is_schema
    }

    fn check_key(&mut self, key: &Spanned<String>, value: &Json) -> bool {
        let Some((name, form)) = KEYS.iter().find(|(name, _)| *name == key.value) else {
            let help = unknown_key(&key.value, value);
            self.error(
                key.span,
                format!("unknown schema keyword `{}`", key.value),
                help,
            );
            return false;
        };
        match (form, &value.value) {
            (Form::Schema, _) => self.check_written(value),
            (Form::Schemas, JsonValue::Array(schemas)) if !schemas.is_empty() => {
                let checks = schemas.iter().map(|schema| self.check_written(schema));
                checks.filter(|is_schema| !is_schema).count() == 0
            }
            (Form::SchemasByName, JsonValue::Object(members)) => {
                let checks = members.iter().map(|(_, schema)| self.check_written(schema));
                checks.filter(|is_schema| !is_schema).count() == 0
            }
            (Form::Schemas | Form::Values, JsonValue::Array(values)) if values.is_empty() => {
                self.error(
                    value.span,
                    format!("`{name}` must not be empty"),
                    "remove it",
                );
                false
            }
            (Form::Values | Form::Texts, JsonValue::Array(_))
            | (Form::Boolean, JsonValue::Bool(_))
            | (Form::Number | Form::Count, JsonValue::Number(_))
            | (Form::Text, JsonValue::String(_))
            | (Form::Other, _) => true,
            (form, _) => {
                let help = other_form(name, *form, value);
                let what = form.name();
                self.error(value.span, format!("expected {what} for `{name}`"), help);
                false
            }
        }
    }
}

impl Form {
    fn name(self) -> &'static str {
        match self {
            Self::Schema => "a schema",
            Self::Schemas => "a list of schemas",
            Self::SchemasByName => "an object of schemas",
            Self::Values => "a list of values",
            Self::Boolean => "`true` or `false`",
            Self::Number => "a number",
            Self::Count => "an integer",
            Self::Text => "a string",
            Self::Texts => "a list of strings",
            Self::Other => "any value",
        }
    }
}

/// Help for an unknown key.
fn unknown_key(key: &str, value: &Json) -> String {
    match key {
        "uniqueItems" | "$ref" => "remove it: the API server refuses it".to_owned(),
        "const" => format!("write `\"enum\": [{value:#}]`"),
        _ => {
            let camel = key.to_lower_camel_case();
            let names = KEYS.iter().map(|(name, _)| *name);
            let known = names.clone().find(|name| *name == camel);
            match known.or_else(|| suggest::closest(key, names)) {
                Some(meant) => format!("did you mean `{meant}`?"),
                None => {
                    "write one of the keys of `JSONSchemaProps`, such as `maxLength`".to_owned()
                }
            }
        }
    }
}

/// Help for a value that does not have the form of its key.
fn other_form(key: &str, form: Form, value: &Json) -> String {
    match (form, &value.value) {
        (Form::Boolean, JsonValue::Number(number)) if key.starts_with("exclusive") => {
            let bound = key["exclusive".len()..].to_lowercase();
            format!("write `\"{bound}\": {number}, \"{key}\": true`")
        }
        (Form::Number | Form::Count, JsonValue::String(text)) if text.parse::<f64>().is_ok() => {
            format!("write `\"{key}\": {text}`")
        }
        (Form::Schemas | Form::Values, JsonValue::Object(_)) => {
            format!("write it in brackets: `\"{key}\": [{{ .. }}]`")
        }
        (Form::Schema, _) => format!("write `\"{key}\": {{ .. }}`"),
        (Form::Schemas, _) => format!("write `\"{key}\": [{{ .. }}]`"),
        (Form::SchemasByName, _) => format!("write `\"{key}\": {{ \"name\": {{ .. }} }}`"),
        (Form::Values, _) => format!("write `\"{key}\": [..]`"),
        (Form::Boolean, _) => format!("write `\"{key}\": true`"),
        (Form::Number | Form::Count, _) => format!("write `\"{key}\": 63`"),
        (Form::Texts, _) => format!("write `\"{key}\": [\"..\"]`"),
        (Form::Text | Form::Other, _) => format!("write `\"{key}\": \"..\"`"),
    }
}

/// Returns the span of an error in a written schema: of the key that the error is about, or else of
/// the nearest enclosing schema in the attribute.
pub(super) fn place(error: &SchemaError, written: &Json) -> Span {
    let mut at = written;
    for step in &error.path {
        let next = match step {
            SchemaPathStep::Property(name) => {
                member(at, "properties").and_then(|(_, properties)| member(properties, name))
            }
            SchemaPathStep::Items => member(at, "items"),
            SchemaPathStep::Values => member(at, "additionalProperties"),
            SchemaPathStep::Not => member(at, "not"),
            SchemaPathStep::Branch(keyword, index) => {
                let branches = member(at, keyword).map(|(_, branches)| &branches.value);
                let branch = match branches {
                    Some(JsonValue::Array(branches)) => branches.get(*index),
                    _ => None,
                };
                branch.map(|branch| (branch.span, branch))
            }
        };
        match next {
            Some((_, next)) => at = next,
            None => return at.span,
        }
    }
    let property = |name| member(at, "properties").and_then(|(_, names)| member(names, name));
    let key = match &error.kind {
        SchemaErrorKind::Structure(StructureRule::KeywordInBranch(key)) => member(at, key),
        SchemaErrorKind::Structure(StructureRule::UndeclaredInBranch(name)) => property(name),
        SchemaErrorKind::Structure(StructureRule::MetadataInBranch) => property("metadata"),
        SchemaErrorKind::Keyword(rule) => keyword(rule).and_then(|key| member(at, key)),
        SchemaErrorKind::Structure(_) => None,
    };
    key.map_or(at.span, |(span, _)| span)
}

/// Returns the keyword that a violated rule is about; `None` if it is about several keywords.
fn keyword(rule: &KeywordRule) -> Option<&'static str> {
    Some(match rule {
        KeywordRule::Pattern(_) => "pattern",
        KeywordRule::UnknownFormat(_) => "format",
        KeywordRule::Validation(_) => "x-kubernetes-validations",
        KeywordRule::Factor => "multipleOf",
        KeywordRule::EnumValue { .. } | KeywordRule::DuplicateEnumValue => "enum",
        KeywordRule::KeywordOfOtherType { keyword, .. } => keyword,
        KeywordRule::Default(_) => "default",
        KeywordRule::Merge(rule) => match rule {
            MergeRule::MapTypeOnNonObject => "x-kubernetes-map-type",
            MergeRule::ListTypeOnNonArray | MergeRule::NoKeys | MergeRule::NonObjectItems => {
                "x-kubernetes-list-type"
            }
            MergeRule::NullableItems | MergeRule::GranularItems => "items",
            MergeRule::KeysWithoutMapType
            | MergeRule::DuplicateKey(_)
            | MergeRule::UnknownKey(_)
            | MergeRule::CompoundKey(_)
            | MergeRule::NullableKey(_)
            | MergeRule::OptionalKey(_) => "x-kubernetes-list-map-keys",
        },
        KeywordRule::CrossedBounds | KeywordRule::Bound(_) => return None,
    })
}

fn member<'j>(json: &'j Json, name: &str) -> Option<(Span, &'j Json)> {
    let JsonValue::Object(members) = &json.value else {
        return None;
    };
    let (key, value) = members.iter().find(|(key, _)| key.value == name)?;
    Some((key.span, value))
}
