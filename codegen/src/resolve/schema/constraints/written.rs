//! Schemas written as JSON in attributes: check of their keys, and locations of errors in them.

use genclient_schema::definition::{
    KeywordRule, MergeRule, SchemaError, SchemaErrorKind, SchemaPathStep, StructureRule,
};
use genclient_schema::{KEYWORDS, Keyword, KeywordForm};
use genclient_syntax::{Help, Json, JsonValue, Spanned, suggest};
use heck::ToLowerCamelCase;
use proc_macro2::Span;

use super::ConstraintApplier;
use crate::resolve::explanation::Explanation;
use crate::resolve::schema::messages;

impl ConstraintApplier<'_> {
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
            is_schema &= self.check_key(key, value, members);
        }
        is_schema
    }

    /// Reports an error in a written schema at the key that it is about. Without that key, reports
    /// it at the schema, which the help does not tell to edit.
    pub(super) fn report_written(&mut self, error: &SchemaError, written: &Json) {
        let Explanation { message, help } = messages::explain_schema_error(error, true);
        match locate_error(error, written) {
            (_, Some(key)) => self.error(key, message, help),
            (schema, None) => self.error(schema.span, message, help.to_string()),
        }
    }

    /// Checks a key with its value. `members` are all keys of the schema.
    fn check_key(
        &mut self,
        key: &Spanned<String>,
        value: &Json,
        members: &[(Spanned<String>, Json)],
    ) -> bool {
        let Some(Keyword { name, form, .. }) = Keyword::from_name(&key.value) else {
            let help = unknown_key(&key.value, value, members);
            self.error(
                key.span,
                format!("unknown schema keyword `{}`", key.value),
                help,
            );
            return false;
        };
        match (form, &value.value) {
            (KeywordForm::Schema, _) => self.check_written(value),
            (KeywordForm::Schemas, JsonValue::Array(schemas)) if !schemas.is_empty() => {
                let checks = schemas.iter().map(|schema| self.check_written(schema));
                checks.filter(|is_schema| !is_schema).count() == 0
            }
            (KeywordForm::SchemasByName, JsonValue::Object(members)) => {
                let checks = members.iter().map(|(_, schema)| self.check_written(schema));
                checks.filter(|is_schema| !is_schema).count() == 0
            }
            (KeywordForm::Schemas | KeywordForm::Values, JsonValue::Array(values))
                if values.is_empty() =>
            {
                self.error(
                    value.span,
                    format!("`{name}` must not be empty"),
                    Help::remove("remove it"),
                );
                false
            }
            (KeywordForm::Values | KeywordForm::Texts, JsonValue::Array(_))
            | (KeywordForm::Boolean, JsonValue::Bool(_))
            | (KeywordForm::Number | KeywordForm::Count, JsonValue::Number(_))
            | (KeywordForm::Text, JsonValue::String(_))
            | (KeywordForm::Other, _) => true,
            (form, _) => {
                let help = other_form(name, *form, value, members);
                let what = form_name(*form);
                self.error(value.span, format!("expected {what} for `{name}`"), help);
                false
            }
        }
    }
}

fn form_name(form: KeywordForm) -> &'static str {
    match form {
        KeywordForm::Schema => "a schema",
        KeywordForm::Schemas => "a list of schemas",
        KeywordForm::SchemasByName => "an object of schemas",
        KeywordForm::Values => "a list of values",
        KeywordForm::Boolean => "`true` or `false`",
        KeywordForm::Number => "a number",
        KeywordForm::Count => "an integer",
        KeywordForm::Text => "a string",
        KeywordForm::Texts => "a list of strings",
        KeywordForm::Other => "any value",
    }
}

/// Help for an unknown key. A key that is among `members` is not written twice.
fn unknown_key(key: &str, value: &Json, members: &[(Spanned<String>, Json)]) -> Help {
    let (help, meant) = match key {
        "uniqueItems" | "$ref" => {
            return Help::remove("remove it: the API server refuses it");
        }
        "const" => (Help::write_key(format!("\"enum\": [{value:#}]")), "enum"),
        _ => {
            let camel = key.to_lower_camel_case();
            let names = KEYWORDS.iter().map(|keyword| keyword.name);
            let known = names.clone().find(|name| *name == camel);
            match known.or_else(|| suggest::closest(key, names)) {
                Some(meant) => (Help::did_you_mean(key, meant), meant),
                None => {
                    return "write one of the keys of `JSONSchemaProps`, such as `maxLength`"
                        .into();
                }
            }
        }
    };
    without_duplicate(help, meant, members)
}

/// Returns the help without its edit if that would write the key `meant` a second time.
fn without_duplicate(help: Help, meant: &str, members: &[(Spanned<String>, Json)]) -> Help {
    if members.iter().any(|(key, _)| key.value == meant) {
        help.to_string().into()
    } else {
        help
    }
}

/// Help for a value that does not have the form of its key. `members` are the keys beside it.
fn other_form(
    key: &str,
    form: KeywordForm,
    value: &Json,
    members: &[(Spanned<String>, Json)],
) -> Help {
    let sample = match (form, &value.value) {
        (KeywordForm::Boolean, JsonValue::Number(number)) if key.starts_with("exclusive") => {
            let bound = key["exclusive".len()..].to_lowercase();
            let help = Help::write_key(format!("\"{bound}\": {number}, \"{key}\": true"));
            return without_duplicate(help, &bound, members);
        }
        (KeywordForm::Number | KeywordForm::Count, JsonValue::String(text))
            if text.parse::<f64>().is_ok() =>
        {
            return Help::write_key(format!("\"{key}\": {text}"));
        }
        (KeywordForm::Boolean, JsonValue::String(text)) if text.parse::<bool>().is_ok() => {
            return Help::write_key(format!("\"{key}\": {text}"));
        }
        (KeywordForm::Schemas | KeywordForm::Values, JsonValue::Object(_)) => {
            return format!("write it in brackets: `\"{key}\": [{{ .. }}]`").into();
        }
        (KeywordForm::Schema, _) => format!("\"{key}\": {{ .. }}"),
        (KeywordForm::Schemas, _) => format!("\"{key}\": [{{ .. }}]"),
        (KeywordForm::SchemasByName, _) => format!("\"{key}\": {{ \"name\": {{ .. }} }}"),
        (KeywordForm::Values, _) => format!("\"{key}\": [..]"),
        (KeywordForm::Boolean, _) => format!("\"{key}\": true"),
        (KeywordForm::Number | KeywordForm::Count, _) => format!("\"{key}\": 63"),
        (KeywordForm::Texts, _) => format!("\"{key}\": [\"..\"]"),
        (KeywordForm::Text | KeywordForm::Other, _) => format!("\"{key}\": \"..\""),
    };
    format!("write `{sample}`").into()
}

/// Returns the schema in a written one that an error is in, or the nearest one around it, with the
/// span of the key that the error is about.
fn locate_error<'j>(error: &SchemaError, written: &'j Json) -> (&'j Json, Option<Span>) {
    let mut at = written;
    for step in &error.path {
        let next = match step {
            SchemaPathStep::Property(name) => find_member(at, "properties")
                .and_then(|(_, properties)| find_member(properties, name)),
            SchemaPathStep::Items => find_member(at, "items"),
            SchemaPathStep::Values => find_member(at, "additionalProperties"),
            SchemaPathStep::Not => find_member(at, "not"),
            SchemaPathStep::Branch(keyword, index) => {
                let branches = find_member(at, keyword).map(|(_, branches)| &branches.value);
                let branch = match branches {
                    Some(JsonValue::Array(branches)) => branches.get(*index),
                    _ => None,
                };
                branch.map(|branch| (branch.span, branch))
            }
        };
        match next {
            Some((_, next)) => at = next,
            None => return (at, None),
        }
    }
    let property =
        |name| find_member(at, "properties").and_then(|(_, names)| find_member(names, name));
    let key = match &error.kind {
        SchemaErrorKind::Structure(StructureRule::KeywordInBranch(key)) => find_member(at, key),
        SchemaErrorKind::Structure(StructureRule::UndeclaredInBranch(name)) => property(name),
        SchemaErrorKind::Structure(StructureRule::MetadataInBranch) => property("metadata"),
        SchemaErrorKind::Keyword(rule) => {
            violated_keyword(rule).and_then(|key| find_member(at, key))
        }
        SchemaErrorKind::Structure(_) => None,
    };
    (at, key.map(|(span, _)| span))
}

/// Returns the keyword that a violated rule is about; `None` if it is about several keywords.
fn violated_keyword(rule: &KeywordRule) -> Option<&'static str> {
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

fn find_member<'j>(json: &'j Json, name: &str) -> Option<(Span, &'j Json)> {
    let JsonValue::Object(members) = &json.value else {
        return None;
    };
    let (key, value) = members.iter().find(|(key, _)| key.value == name)?;
    Some((key.span, value))
}
