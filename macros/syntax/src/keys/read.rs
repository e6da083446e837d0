//! Reading of keys: what is written, checked against the table.

use std::fmt;

use proc_macro2::{Span, TokenStream};
use syn::Meta;

use super::unknown;
use super::{CRD, Given, KeyValue, Keys, is};
use crate::arguments::{self, After, RawKey};
use crate::table::{Argument, Attribute, Form, Key, TABLE, Value, Within};
use crate::{Json, JsonValue, Place, Problem, Problems, Site, Spanned, Verb, suggest};

impl Keys {
    /// Reads every `#[crd(…)]` or every `#[genclient(…)]` of `attrs`.
    pub(crate) fn read(
        attrs: &[syn::Attribute],
        within: Within,
        site: Site,
        problems: &mut Problems,
    ) -> Self {
        let mut written = Vec::new();
        for attr in attrs.iter().filter(|attr| is(attr, within)) {
            match &attr.meta {
                Meta::List(list) => written.extend(arguments::read(list.tokens.clone(), problems)),
                Meta::Path(_) if within == Within::Genclient => {}
                meta => problems.push(no_list(meta, within)),
            }
        }
        check(written, within, site, problems)
    }

    /// Reads the keys inside `items(…)`, `values(…)` or `keys(…)`.
    pub(crate) fn read_nested(tokens: TokenStream, place: &Place, problems: &mut Problems) -> Self {
        let written = arguments::read(tokens, problems);
        check(written, Within::Crd, place.site, problems)
    }
}

fn no_list(meta: &Meta, within: Within) -> Problem {
    let span = meta
        .path()
        .segments
        .first()
        .map_or_else(Span::call_site, |segment| segment.ident.span());
    let name = if within == Within::Crd {
        CRD
    } else {
        Key::GENCLIENT.as_str()
    };
    Problem::new(span, format!("`{name}` takes keys in parentheses"))
        .with_help(format!("write `#[{name}(key = value)]`"))
}

/// Checks the keys of one attribute. What is wrong is reported and left out.
fn check(written: Vec<RawKey>, within: Within, site: Site, problems: &mut Problems) -> Keys {
    let mut keys = Keys::default();
    for written in written {
        let known = TABLE
            .iter()
            .find(|entry| entry.within == within && entry.name == written.name);
        let Some(entry) = known.filter(|entry| entry.sites.contains(&site)) else {
            problems.push(unknown::key(&written, known, within, site));
            continue;
        };
        match check_one(written, entry, &keys, problems) {
            Some(found) => keys.push(found),
            None => keys.fail(entry.key()),
        }
    }
    keys
}

fn check_one(
    written: RawKey,
    entry: &Attribute,
    keys: &Keys,
    problems: &mut Problems,
) -> Option<KeyValue> {
    if let Form::Refused { reason, help } = entry.form {
        problems.report(written.span, reason, help);
        return None;
    }
    let (key, span) = (entry.key(), written.span);
    if !entry.repeats && keys.mentions(key) {
        problems.push(repeated(key, span));
        return None;
    }
    let given = give(key, entry.form, span, written.after, problems)?;
    Some(KeyValue::new(key, span, given))
}

pub(crate) fn repeated(key: impl fmt::Display, span: Span) -> Problem {
    Problem::new(span, format!("`{key}` is written twice")).with_help("keep one of them")
}

/// What was written, if it has the right form.
fn give(key: Key, form: Form, span: Span, after: After, problems: &mut Problems) -> Option<Given> {
    match (form, after) {
        (Form::Flag | Form::FlagOr(_), After::Nothing) => Some(Given::Flag),
        (Form::Value(value) | Form::FlagOr(value), After::Value(json)) => {
            give_value(key, value, json, problems)
        }
        (Form::Arguments(known), After::List(tokens)) => {
            give_arguments(key, known, span, tokens, problems)
        }
        (Form::Pair, After::List(tokens)) => give_pair(key, span, tokens, problems),
        (Form::Schema, After::List(tokens)) => Some(Given::Schema(tokens)),
        (form, after) => {
            let span = if let After::Value(json) = &after {
                json.span
            } else {
                span
            };
            problems.push(wrong_form(key, form, span));
            None
        }
    }
}

fn wrong_form(key: Key, form: Form, span: Span) -> Problem {
    Problem::new(span, format!("`{key}` {}", form.describe()))
        .with_help(format!("write `{}`", form.usage(key.as_str())))
}

fn give_value(key: Key, value: Value, json: Json, problems: &mut Problems) -> Option<Given> {
    let span = json.span;
    match (value, json.value) {
        (Value::String, JsonValue::String(text)) => Some(Given::Text(Spanned::new(text, span))),
        (Value::OneOf(names), JsonValue::String(text)) => {
            check_name(key, &text, names, span, problems)
                .then_some(Given::Text(Spanned::new(text, span)))
        }
        (Value::Strings, JsonValue::Array(items)) => give_texts(key, value, items, None, problems),
        (Value::Several(names), JsonValue::Array(items)) => {
            give_texts(key, value, items, Some(names), problems)
        }
        (Value::Integer, JsonValue::Number(number)) if number.as_i128().is_some() => {
            Some(Given::Number(Spanned::new(number, span)))
        }
        (Value::Count, JsonValue::Number(number))
            if number.as_i128().is_some_and(|count| count >= 0) =>
        {
            Some(Given::Number(Spanned::new(number, span)))
        }
        (Value::Number, JsonValue::Number(number)) => {
            Some(Given::Number(Spanned::new(number, span)))
        }
        (Value::Json, value) => Some(Given::Json(Json { value, span })),
        (Value::JsonList, JsonValue::Array(items)) => Some(Given::Json(Json {
            value: JsonValue::Array(distinct(items, problems)),
            span,
        })),
        (Value::JsonObject, value @ JsonValue::Object(_)) => {
            Some(Given::Json(Json { value, span }))
        }
        (value, _) => {
            problems.push(wrong_form(key, Form::Value(value), span));
            None
        }
    }
}

fn give_texts(
    key: Key,
    value: Value,
    items: Vec<Json>,
    names: Option<&[&str]>,
    problems: &mut Problems,
) -> Option<Given> {
    let mut texts = Vec::new();
    let written = items.len();
    for item in distinct(items, problems) {
        match item.value {
            JsonValue::String(text) => {
                if names.is_none_or(|names| check_name(key, &text, names, item.span, problems)) {
                    texts.push(Spanned::new(text, item.span));
                }
            }
            _ => problems.push(wrong_form(key, Form::Value(value), item.span)),
        }
    }
    // A list that only mistakes have emptied is not the empty list.
    (written == 0 || !texts.is_empty()).then_some(Given::Texts(texts))
}

/// Whether `text` is one of `names`.
fn check_name(key: Key, text: &str, names: &[&str], span: Span, problems: &mut Problems) -> bool {
    if names.contains(&text) {
        return true;
    }
    let problem = Problem::new(span, format!("`{text}` is no value of `{key}`"));
    // A verb that cannot be had here is no slip of one that can.
    let is_verb = Verb::from_name(text).is_some();
    let meant = suggest::help(text, names).filter(|_| !is_verb);
    let help = meant.unwrap_or_else(|| format!("write {}", suggest::either(names)));
    problems.push(problem.with_help(help));
    false
}

/// A value that is listed twice is a slip, although the API server lets it pass.
fn distinct(items: Vec<Json>, problems: &mut Problems) -> Vec<Json> {
    let mut kept: Vec<Json> = Vec::new();
    for item in items {
        if kept.contains(&item) {
            problems.report(
                item.span,
                format!("`{item}` is listed twice"),
                "keep one of them",
            );
        } else {
            kept.push(item);
        }
    }
    kept
}

fn give_pair(key: Key, span: Span, tokens: TokenStream, problems: &mut Problems) -> Option<Given> {
    let strings = arguments::read_values(tokens)
        .map(|values| values.into_iter().map(text).collect::<Option<Vec<_>>>());
    if let Ok(Some(strings)) = strings
        && let Ok([name, value]) = <[_; 2]>::try_from(strings)
    {
        return Some(Given::Pair(name, value));
    }
    problems.push(wrong_form(key, Form::Pair, span));
    None
}

fn text(json: Json) -> Option<Spanned<String>> {
    match json.value {
        JsonValue::String(text) => Some(Spanned::new(text, json.span)),
        _ => None,
    }
}

fn give_arguments(
    key: Key,
    known: &'static [Argument],
    span: Span,
    tokens: TokenStream,
    problems: &mut Problems,
) -> Option<Given> {
    let mut keys = Keys::default();
    let mut failed = false;
    let mut written_names = Vec::new();
    for written in arguments::read(tokens, problems) {
        written_names.push(written.name.clone());
        match give_argument(key, known, &keys, written, problems) {
            Some(found) => keys.push(found),
            None => failed = true,
        }
    }
    // What is missing may be what an unknown argument was meant for.
    let unknown = written_names
        .iter()
        .filter(|written| !known.iter().any(|argument| argument.name == *written))
        .map(|written| suggest::closest(written, known.iter().map(|argument| argument.name)));
    let unknown: Vec<_> = unknown.collect();
    let missing = known.iter().filter(|argument| {
        let written = written_names.iter().any(|name| name == argument.name);
        let meant = unknown
            .iter()
            .any(|meant| meant.is_none_or(|name| name == argument.name));
        argument.required && !written && !meant
    });
    for argument in missing {
        let usage = argument.form.usage(argument.name);
        problems.report(
            span,
            format!("`{key}` needs `{}`", argument.name),
            format!("add `{usage}`"),
        );
        failed = true;
    }
    (!failed).then_some(Given::Arguments(keys))
}

fn give_argument(
    of: Key,
    known: &'static [Argument],
    keys: &Keys,
    written: RawKey,
    problems: &mut Problems,
) -> Option<KeyValue> {
    let Some(argument) = known.iter().find(|argument| argument.name == written.name) else {
        problems.push(unknown::argument(&written, of, known));
        return None;
    };
    let (key, span) = (argument.key(), written.span);
    if keys.get(key).is_some() {
        problems.push(repeated(key, span));
        return None;
    }
    let given = give(key, argument.form, span, written.after, problems)?;
    Some(KeyValue::new(key, span, given))
}
