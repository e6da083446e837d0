//! Additional schema keywords: `extend("keyword" = json)`.

use proc_macro2::{TokenStream, TokenTree};
use syn::parse::{Parse, ParseStream};
use syn::{LitStr, Meta, Token};

use super::keyword::Keyword;
use crate::keys::{Given, KeyValue, Keys};
use crate::table::Key;
use crate::{
    Flag, Json, JsonType, JsonValue, ListType, MapType, Problems, SchemaAttrs, Spanned, suggest,
};

/// Reads every entry into the field of its keyword. Keywords without a field are set on the
/// finished schema.
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

fn set(key: Spanned<String>, value: Json, schema: &mut SchemaAttrs, problems: &mut Problems) {
    let mut keywords = Keyword::ALL.iter();
    let Some(&keyword) = keywords.find(|keyword| keyword.as_str() == key.value) else {
        return unknown(&key, problems);
    };
    let flag = match value.value {
        JsonValue::Bool(true) => Flag::at(key.span),
        _ => Flag::default(),
    };
    match keyword {
        Keyword::DEFAULT => schema.default = Some(value),
        Keyword::EXAMPLE => schema.example = Some(value),
        Keyword::ENUM => schema.enumeration = list(value),
        Keyword::NULLABLE => schema.nullable = flag,
        Keyword::FORMAT => schema.format = text(keyword, &value, problems),
        Keyword::PATTERN => schema.pattern = text(keyword, &value, problems),
        Keyword::TITLE => schema.title = text(keyword, &value, problems),
        Keyword::TYPE => {
            schema.json_type = known(
                keyword,
                &value,
                JsonType::NAMES,
                JsonType::from_name,
                problems,
            );
        }
        Keyword::X_KUBERNETES_EMBEDDED_RESOURCE => schema.embedded_resource = flag,
        Keyword::X_KUBERNETES_INT_OR_STRING => schema.int_or_string = flag,
        Keyword::X_KUBERNETES_LIST_MAP_KEYS => schema.list_map_keys = texts(value),
        Keyword::X_KUBERNETES_LIST_TYPE => {
            schema.list_type = known(
                keyword,
                &value,
                ListType::NAMES,
                ListType::from_name,
                problems,
            );
        }
        Keyword::X_KUBERNETES_MAP_TYPE => {
            schema.map_type = known(
                keyword,
                &value,
                MapType::NAMES,
                MapType::from_name,
                problems,
            );
        }
        Keyword::X_KUBERNETES_PRESERVE_UNKNOWN_FIELDS => schema.preserve_unknown_fields = flag,
        Keyword::X_KUBERNETES_VALIDATIONS => rules(value, schema, problems),
        _ => schema.extend.push((key, value)),
    }
}

fn text(keyword: Keyword, value: &Json, problems: &mut Problems) -> Option<Spanned<String>> {
    if let JsonValue::String(text) = &value.value {
        return Some(Spanned::new(text.clone(), value.span));
    }
    let message = format!("`{keyword}` is a string, and this is `{value}`");
    let help = format!("write `\"{keyword}\" = \"..\"`");
    problems.report(value.span, message, help);
    None
}

/// A string that is one of `names`, which `from_name` knows.
fn known<T>(
    keyword: Keyword,
    value: &Json,
    names: &[&str],
    from_name: impl FnOnce(&str) -> Option<T>,
    problems: &mut Problems,
) -> Option<Spanned<T>> {
    let name = text(keyword, value, problems)?;
    let value = from_name(&name.value);
    if value.is_none() {
        let message = format!("`{}` is no value of `{keyword}`", name.value);
        let help = format!("write {}", suggest::either(names));
        problems.report(name.span, message, help);
    }
    value.map(|value| Spanned::new(value, name.span))
}

/// Keys of JSON schema that a CRD does not have, and that look like some that it has.
const IGNORED: &[&str] = &["examples", "uniqueItems"];

/// kube leaves out what a CRD does not have; a slip of a key that it has is none of that.
fn unknown(key: &Spanned<String>, problems: &mut Problems) {
    if IGNORED.contains(&key.value.as_str()) {
        return;
    }
    let known: Vec<&str> = Keyword::ALL.iter().map(|known| known.as_str()).collect();
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

/// Translates a member of a rule into an argument of `validation(…)`. `None` if the member is
/// unknown or has a value of another type.
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
