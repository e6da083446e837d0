//! `extend("key" = json)`: any key of a schema.

use proc_macro2::{TokenStream, TokenTree};
use syn::parse::{Parse, ParseStream};
use syn::{LitStr, Meta, Token};

use crate::keys::{Given, KeyValue, Keys};
use crate::table::Key;
use crate::{Flag, Json, JsonType, JsonValue, Problems, SchemaAttrs, Spanned, suggest};
use crate::{ListType, MapType};

/// Reads every entry into the field of that name; what has no field is laid over the finished schema.
pub(super) fn read(meta: &Meta, schema: &mut SchemaAttrs, problems: &mut Problems) {
    let Meta::List(list) = meta else { return };
    for entry in entries(list.tokens.clone()) {
        match syn::parse2::<Entry>(entry.clone()) {
            Ok(Entry { key, value }) => set(key, value, schema, problems),
            Err(error) => problems.report(
                error.span(),
                "a value that is computed when the program runs cannot be seen from here",
                "write a literal, `null`, `[..]` or `{ \"name\": .. }`",
            ),
        }
    }
}

/// The pieces between commas.
fn entries(tokens: TokenStream) -> Vec<TokenStream> {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    tokens
        .split(|token| matches!(token, TokenTree::Punct(comma) if comma.as_char() == ','))
        .filter(|piece| !piece.is_empty())
        .map(|piece| piece.iter().cloned().collect())
        .collect()
}

struct Entry {
    key: Spanned<String>,
    value: Json,
}

impl Parse for Entry {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let key: LitStr = input.parse()?;
        input.parse::<Token![=]>()?;
        Ok(Self {
            key: Spanned::new(key.value(), key.span()),
            value: input.parse()?,
        })
    }
}

/// Keys of `JSONSchemaProps` that are laid over the finished schema.
const OVERLAID: &[&str] = &[
    "additionalProperties",
    "allOf",
    "anyOf",
    "description",
    "exclusiveMaximum",
    "exclusiveMinimum",
    "externalDocs",
    "items",
    "maxItems",
    "maxLength",
    "maxProperties",
    "maximum",
    "minItems",
    "minLength",
    "minProperties",
    "minimum",
    "multipleOf",
    "not",
    "oneOf",
    "properties",
    "required",
];

/// Keys that have a field.
const FIELDS: &[&str] = &[
    "default",
    "enum",
    "example",
    "format",
    "nullable",
    "pattern",
    "title",
    "type",
    "x-kubernetes-embedded-resource",
    "x-kubernetes-int-or-string",
    "x-kubernetes-list-map-keys",
    "x-kubernetes-list-type",
    "x-kubernetes-map-type",
    "x-kubernetes-preserve-unknown-fields",
    "x-kubernetes-validations",
];

fn set(key: Spanned<String>, value: Json, schema: &mut SchemaAttrs, problems: &mut Problems) {
    let name = key.value.as_str();
    if OVERLAID.contains(&name) {
        schema.extend.push((key, value));
        return;
    }
    if !FIELDS.contains(&name) {
        return unknown(&key, problems);
    }
    let text = match &value.value {
        JsonValue::String(text) => Some(Spanned::new(text.clone(), value.span)),
        _ => None,
    };
    let flag = match value.value {
        JsonValue::Bool(true) => Flag::at(key.span),
        _ => Flag::default(),
    };
    match name {
        "default" => schema.default = Some(value),
        "example" => schema.example = Some(value),
        "enum" => schema.enumeration = list(value),
        "nullable" => schema.nullable = flag,
        "x-kubernetes-embedded-resource" => schema.embedded_resource = flag,
        "x-kubernetes-int-or-string" => schema.int_or_string = flag,
        "x-kubernetes-preserve-unknown-fields" => schema.preserve_unknown_fields = flag,
        "x-kubernetes-list-map-keys" => schema.list_map_keys = texts(value),
        "x-kubernetes-validations" => rules(value, schema, problems),
        _ => set_text(name, text, &value, schema, problems),
    }
}

fn set_text(
    name: &str,
    text: Option<Spanned<String>>,
    value: &Json,
    schema: &mut SchemaAttrs,
    problems: &mut Problems,
) {
    let Some(text) = text else {
        let message = format!("`{name}` is a string, and this is `{value}`");
        problems.report(value.span, message, format!("write `\"{name}\" = \"..\"`"));
        return;
    };
    let span = text.span;
    let known = match name {
        "type" => put(
            &mut schema.json_type,
            JsonType::from_name(&text.value),
            span,
        ),
        "x-kubernetes-list-type" => put(
            &mut schema.list_type,
            ListType::from_name(&text.value),
            span,
        ),
        "x-kubernetes-map-type" => put(&mut schema.map_type, MapType::from_name(&text.value), span),
        "format" => put(&mut schema.format, Some(text.value.clone()), span),
        "pattern" => put(&mut schema.pattern, Some(text.value.clone()), span),
        _ => put(&mut schema.title, Some(text.value.clone()), span),
    };
    if !known {
        problems.report(
            span,
            format!("`{}` is no value of `{name}`", text.value),
            match name {
                "type" => "write `object`, `array`, `string`, `integer`, `number` or `boolean`",
                "x-kubernetes-list-type" => "write `map`, `set` or `atomic`",
                _ => "write `granular` or `atomic`",
            },
        );
    }
}

fn put<T>(place: &mut Option<Spanned<T>>, value: Option<T>, span: proc_macro2::Span) -> bool {
    let known = value.is_some();
    *place = value.map(|value| Spanned::new(value, span));
    known
}

/// Keys of JSON schema that a CRD does not have, and that look like some that it has.
const IGNORED: &[&str] = &["examples", "uniqueItems"];

/// kube leaves out what a CRD does not have; a slip of a key that it has is none of that.
fn unknown(key: &Spanned<String>, problems: &mut Problems) {
    if IGNORED.contains(&key.value.as_str()) {
        return;
    }
    let known: Vec<&str> = OVERLAID.iter().chain(FIELDS).copied().collect();
    let is_kubernetes = key.value.starts_with("x-kubernetes-");
    let meant = suggest::similar(&key.value, &known);
    if is_kubernetes || meant.is_some_and(|meant| meant.len() > 3) {
        let help = match meant {
            Some(meant) => format!("did you mean `{meant}`?"),
            None => "remove it: no CRD has it".to_owned(),
        };
        let message = format!("`{}` is no key of a CRD's schema", key.value);
        problems.report(key.span, message, help);
    }
}

fn list(value: Json) -> Option<Spanned<Vec<Json>>> {
    match value.value {
        JsonValue::Array(items) => Some(Spanned::new(items, value.span)),
        _ => None,
    }
}

fn texts(value: Json) -> Vec<Spanned<String>> {
    let items = list(value).map(|items| items.value).unwrap_or_default();
    let text = |item: Json| match item.value {
        JsonValue::String(text) => Some(Spanned::new(text, item.span)),
        _ => None,
    };
    items.into_iter().filter_map(text).collect()
}

/// Rules as a CRD has them, read as if they stood in `validation(…)`.
fn rules(value: Json, schema: &mut SchemaAttrs, problems: &mut Problems) {
    let span = value.span;
    let Some(items) = list(value) else {
        problems.report(
            span,
            "the rules are a list",
            "write `[{ \"rule\": \"..\" }]`",
        );
        return;
    };
    for item in items.value {
        let mut arguments = Keys::default();
        let JsonValue::Object(members) = item.value else {
            problems.report(
                item.span,
                "a rule is an object",
                "write `{ \"rule\": \"..\" }`",
            );
            continue;
        };
        for (member, value) in members {
            match argument(&member, value) {
                Some(key) => arguments.push(key),
                None => problems.report(
                    item.span,
                    format!("a rule has no `{member}`, or not with that value"),
                    "a rule has rule, message, messageExpression, reason, fieldPath and optionalOldSelf",
                ),
            }
        }
        schema
            .validations
            .extend(crate::schema::rule(&arguments, item.span, problems));
    }
}

/// A member of a rule under the name that the grammar has for it; nothing for `optionalOldSelf: false`.
fn argument(member: &str, value: Json) -> Option<KeyValue> {
    let key = match member {
        "rule" => Key::RULE,
        "message" => Key::MESSAGE,
        "messageExpression" => Key::MESSAGE_EXPRESSION,
        "reason" => Key::REASON,
        "fieldPath" => Key::FIELD_PATH,
        "optionalOldSelf" => Key::OPTIONAL_OLD_SELF,
        _ => return None,
    };
    let span = value.span;
    let given = match value.value {
        JsonValue::String(text) => Given::Text(Spanned::new(text, span)),
        JsonValue::Bool(true) => Given::Flag,
        _ => return None,
    };
    Some(KeyValue::new(key, span, given))
}
