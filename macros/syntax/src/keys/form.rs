//! Validation of key and argument values against the form that the table declares.

use std::{fmt, iter};

use proc_macro2::{Span, TokenStream, TokenTree};

use super::{Given, KeyValue, Keys};
use crate::arguments::{self, After, RawKey, join_formatted};
use crate::table::{Argument, Attribute, Form, Key, Value};
use crate::{Help, Json, JsonValue, Problem, Problems, Spanned, Verb, suggest};

/// A written key or argument, with its form in the table.
#[derive(Clone, Copy)]
pub(super) struct WrittenKey<'a> {
    key: Key,
    form: Form,
    raw: &'a RawKey,
}

impl<'a> WrittenKey<'a> {
    pub(super) fn new(entry: &Attribute, raw: &'a RawKey) -> Self {
        Self {
            key: entry.key(),
            form: entry.form,
            raw,
        }
    }

    /// Reads the value and reports its errors. `flag = value` is an error, but sets the flag unless
    /// the value is `false`.
    pub(super) fn read(self, problems: &mut Problems) -> Option<Given> {
        if !fits_form(self.form, self.raw) {
            problems.push(self.wrong_form_problem());
            let is_set = matches!(self.form, Form::Flag) && !self.raw.is_off();
            return is_set.then_some(Given::Flag);
        }
        match (self.form, &self.raw.after) {
            (Form::Arguments(_), After::Nothing) => Some(Given::Arguments(Keys::default())),
            (_, After::Nothing) => Some(Given::Flag),
            (Form::Value(value) | Form::FlagOr(value), After::Value(json)) => {
                self.read_value(value, json, problems)
            }
            (Form::Arguments(known), After::List(tokens)) => {
                Some(self.read_arguments(known, tokens, problems))
            }
            (Form::Pair, After::List(_)) => {
                string_pair(self.raw).map(|[name, value]| Given::Pair(name, value))
            }
            (_, After::List(tokens)) => Some(Given::Schema(tokens.clone())),
            (_, After::Value(_)) => None,
        }
    }

    /// Returns the correct usage: the key with the written or corrected value, or with a
    /// placeholder if neither fits.
    pub(super) fn usage(self) -> String {
        self.corrected()
            .unwrap_or_else(|| self.form.usage(self.key.as_str()))
    }

    /// Returns whether the written value has the right form or can be converted into it.
    pub(super) fn is_correctable(self) -> bool {
        self.corrected().is_some()
    }

    /// Returns the key with the written value, or with the corrected one; `None` if neither fits.
    fn corrected(self) -> Option<String> {
        let raw = self.raw.renamed(self.key);
        let meant = suggest_value(self.form, self.raw).map(|after| raw.with(after));
        let mut candidates = iter::once(raw).chain(meant);
        candidates
            .find(|raw| fits_form(self.form, raw))
            .map(|raw| raw.to_string())
    }

    fn wrong_form_problem(self) -> Problem {
        let help = match self.form {
            Form::Flag | Form::FlagOr(_) if self.raw.is_off() => Help::remove("remove it"),
            Form::Flag | Form::FlagOr(_) if self.raw.is_on() => Help::write_key(self.key),
            Form::FlagOr(value) => match self.corrected() {
                Some(corrected) => Help::write_key(corrected),
                None => format!("write `{0}` or `{0} = {1}`", self.key, value.sample()).into(),
            },
            Form::Value(Value::Count) if self.is_negative_size() => "write 0 or more".into(),
            _ => match self.corrected() {
                Some(corrected) => Help::write_key(corrected),
                None => format!("write `{}`", self.usage()).into(),
            },
        };
        let span = match &self.raw.after {
            After::Value(json) => json.span,
            _ => self.raw.span,
        };
        self.problem(span, help)
    }

    /// Returns whether the value is negative and the key accepts 0, unlike `timeout` and `port`.
    fn is_negative_size(self) -> bool {
        let value = match &self.raw.after {
            After::Value(json) => &json.value,
            _ => return false,
        };
        let is_negative = matches!(value, JsonValue::Number(number) if number.as_f64() < 0.0);
        is_negative && ![Key::TIMEOUT, Key::PORT].contains(&self.key)
    }

    fn problem(self, span: Span, help: impl Into<Help>) -> Problem {
        let message = format!("expected {} for `{}`", self.form.describe(), self.key);
        Problem::new(span, message).with_help(help)
    }

    /// Reads a value whose type [`Value::takes`] has accepted.
    fn read_value(self, value: Value, json: &Json, problems: &mut Problems) -> Option<Given> {
        let span = json.span;
        match (value, &json.value) {
            (Value::OneOf(names), JsonValue::String(text))
                if !self.check_name(text, names, span, problems) =>
            {
                None
            }
            (Value::String | Value::OneOf(_), JsonValue::String(text)) => {
                Some(Given::Text(Spanned::new(text.clone(), span)))
            }
            (Value::Strings | Value::Choice, JsonValue::Array(items)) => {
                self.read_texts(items, None, problems)
            }
            (Value::Several(names), JsonValue::Array(items)) => {
                self.read_texts(items, Some(names), problems)
            }
            (Value::Integer | Value::Count | Value::Number, JsonValue::Number(number)) => {
                Some(Given::Number(Spanned::new(number.clone(), span)))
            }
            (Value::JsonList, JsonValue::Array(items)) => Some(Given::Json(Json {
                value: JsonValue::Array(remove_duplicates(items, problems)),
                span,
            })),
            _ => Some(Given::Json(json.clone())),
        }
    }

    fn read_texts(
        self,
        items: &[Json],
        names: Option<&[&str]>,
        problems: &mut Problems,
    ) -> Option<Given> {
        let mut texts = Vec::new();
        for item in remove_duplicates(items, problems) {
            match item.value {
                JsonValue::String(text) => {
                    if names.is_none_or(|names| self.check_name(&text, names, item.span, problems))
                    {
                        texts.push(Spanned::new(text, item.span));
                    }
                }
                _ => {
                    let help = format!("write `{}`", self.form.usage(self.key.as_str()));
                    problems.push(self.problem(item.span, help));
                }
            }
        }
        // If every item has an error, returns `None`: an empty list would be a second error.
        (items.is_empty() || !texts.is_empty()).then_some(Given::Texts(texts))
    }

    fn check_name(self, text: &str, names: &[&str], span: Span, problems: &mut Problems) -> bool {
        if names.contains(&text) {
            return true;
        }
        // A verb that this key does not accept, such as `delete` in `method(..)`, is not misspelt,
        // so no similar name is suggested.
        let help = if Verb::from_name(text).is_some() {
            format!("write {}", suggest::one_of(names)).into()
        } else {
            suggest::value(text, names)
        };
        let message = format!("invalid value `{text}` for `{}`", self.key);
        problems.report(span, message, help);
        false
    }

    /// Reads the arguments. If one has an error, the others are kept for further checks.
    fn read_arguments(
        self,
        known: &'static [Argument],
        tokens: &TokenStream,
        problems: &mut Problems,
    ) -> Given {
        let known_problems = problems.len();
        let known_as = |name: &str| known.iter().find(|argument| argument.name == name);
        let written = arguments::parse_arguments(tokens.clone(), problems);
        let mut keys = Keys {
            has_unparsed: problems.len() > known_problems,
            ..Keys::default()
        };
        for raw in &written {
            if let Some(argument) = known_as(&raw.name) {
                read_argument(argument, raw, &mut keys, problems);
                continue;
            }
            problems.push(unknown_argument_problem(raw, self.key, known));
            // Suppresses the "missing argument" error for the argument that this one likely
            // misspells.
            let names = known.iter().map(|argument| argument.name);
            match suggest::closest(&raw.name, names).and_then(known_as) {
                Some(meant) => keys.fail(meant.key()),
                None => keys.has_unparsed = true,
            }
        }
        for argument in known.iter().filter(|one| is_missing(one, &keys)) {
            problems.push(missing_argument_problem(self.key, argument, self.raw.span));
        }
        Given::Arguments(keys)
    }
}

fn is_missing(argument: &Argument, keys: &Keys) -> bool {
    argument.required && !keys.mentions(argument.key())
}

fn missing_argument_problem(key: Key, argument: &Argument, span: Span) -> Problem {
    let usage = argument.form.usage(argument.name);
    Problem::new(span, format!("`{key}` needs `{}`", argument.name))
        .with_help(format!("add `{usage}`"))
}

/// Returns whether the tokens after the key have the form.
fn fits_form(form: Form, raw: &RawKey) -> bool {
    match (form, &raw.after) {
        (Form::Flag | Form::FlagOr(_), After::Nothing) => true,
        (Form::Value(value) | Form::FlagOr(value), After::Value(json)) => value.takes(&json.value),
        (Form::Pair, After::List(_)) => string_pair(raw).is_some(),
        // The parentheses are optional if no argument is required.
        (Form::Arguments(known), After::Nothing) => !known.iter().any(|one| one.required),
        (Form::Arguments(_), After::List(tokens)) => {
            let first = tokens.clone().into_iter().next();
            !matches!(first, Some(TokenTree::Literal(_)))
        }
        (Form::Schema, After::List(_)) => true,
        _ => false,
    }
}

/// Returns the two strings of `key("a", "b")`.
fn string_pair(raw: &RawKey) -> Option<[Spanned<String>; 2]> {
    let strings: Option<Vec<_>> = raw.values().iter().map(Json::text).collect();
    strings?.try_into().ok()
}

fn read_argument(argument: &Argument, raw: &RawKey, keys: &mut Keys, problems: &mut Problems) {
    let key = argument.key();
    if let Some(first) = keys.get(key) {
        return problems.push(duplicate_problem(key, raw.span).with_earlier(first.span));
    }
    let form = argument.form;
    match (WrittenKey { key, form, raw }).read(problems) {
        Some(given) => keys.push(KeyValue::new(key, raw.span, given)),
        None => keys.fail(key),
    }
}

pub(crate) fn duplicate_problem(key: impl fmt::Display, span: Span) -> Problem {
    Problem::new(span, format!("duplicate `{key}`")).with_help("keep one of them")
}

fn unknown_argument_problem(raw: &RawKey, key: Key, known: &[Argument]) -> Problem {
    let names: Vec<&str> = known.iter().map(|argument| argument.name).collect();
    let help = suggest::help(&raw.name, &names)
        .unwrap_or_else(|| format!("write {}", suggest::either(&names)).into());
    let message = format!("unknown argument `{}` of `{key}`", raw.name);
    Problem::new(raw.span, message).with_help(help)
}

/// Removes and reports duplicate values, including those that the API server accepts.
fn remove_duplicates(items: &[Json], problems: &mut Problems) -> Vec<Json> {
    let mut kept: Vec<Json> = Vec::new();
    for item in items {
        if kept.contains(item) {
            problems.report(
                item.span,
                format!("duplicate value `{item}`"),
                "keep one of them",
            );
        } else {
            kept.push(item.clone());
        }
    }
    kept
}

/// Converts the value into the form of the key, if possible. For a number, `"1"` and `"1s"` become
/// `1`. For a list, `"a"` becomes `["a"]`. For arguments of which only `url` is required, `"a"`
/// becomes `(url = "a")`.
fn suggest_value(form: Form, raw: &RawKey) -> Option<After> {
    let values = raw.values();
    let json = match (form, values.as_slice()) {
        (_, []) => return None,
        (Form::Value(Value::Strings | Value::Several(_)), [only])
            if matches!(&only.value, JsonValue::String(_)) =>
        {
            // `"get;list"` as in controller-gen's markers
            let text = plain_text(only);
            let parts = text
                .split([';', ','])
                .map(str::trim)
                .filter(|part| !part.is_empty());
            format!(
                "[{}]",
                join_formatted(parts.map(|part| format!("{part:?}")))
            )
        }
        (Form::Value(Value::Strings | Value::Several(_) | Value::JsonList), _) => {
            format!("[{}]", format_values(&values))
        }
        (Form::Value(Value::JsonObject), [only]) => match &only.value {
            JsonValue::Array(items) => format_values(items),
            _ => format!("{only:#}"),
        },
        (Form::Value(Value::Integer | Value::Count | Value::Number), [only]) => {
            without_unit(plain_text(only))
        }
        (Form::Value(_) | Form::FlagOr(_), [only]) => format!("{only:#}"),
        (Form::Pair, [only]) => return parse_list(&format!("{only:#}, \"..\"")),
        (Form::Pair, [name, value]) => {
            return parse_list(&format!("{:?}, {:?}", plain_text(name), plain_text(value)));
        }
        (Form::Arguments(known), [only]) => {
            let mut required = known.iter().filter(|argument| argument.required);
            let argument = required.next().filter(|_| required.next().is_none())?;
            return parse_list(&format!("{} = {only:#}", argument.name));
        }
        _ => return None,
    };
    syn::parse_str(&json).ok().map(After::Value)
}

/// Returns the text of a string without quotes, or the tokens of another value.
fn plain_text(json: &Json) -> String {
    match &json.value {
        JsonValue::String(text) => text.clone(),
        _ => format!("{json:#}"),
    }
}

/// Removes the unit from `10s`, because durations are written as a number of seconds.
fn without_unit(text: String) -> String {
    let number = text.strip_suffix('s').map(str::trim_end);
    let is_number = |text: &&str| text.parse::<f64>().is_ok();
    number.filter(is_number).map_or(text.clone(), str::to_owned)
}

fn format_values(values: &[Json]) -> String {
    join_formatted(values.iter().map(|value| format!("{value:#}")))
}

fn parse_list(tokens: &str) -> Option<After> {
    tokens.parse().ok().map(After::List)
}
