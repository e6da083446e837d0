//! Value forms of attributes and keys: flags, values, arguments.

use super::key::Key;
use crate::{JsonValue, suggest};

/// Form of the value after a name.
#[derive(Clone, Copy, Debug)]
pub enum Form {
    /// Nothing: `storage`.
    Flag,
    /// A value: `plural = ".."`.
    Value(Value),
    /// Nothing or a value: `deprecated`, `deprecated = "warning"`.
    FlagOr(Value),
    /// Named arguments: `scale(spec_replicas_path = "..", ..)`.
    Arguments(&'static [Argument]),
    /// Two strings: `label("key", "value")`.
    Pair,
    /// Keys of `#[crd(..)]`: `items(min_length = 1)`.
    Schema,
    /// Keys of the attribute, or nothing: `#[genclient]`, `#[crd(..)]`.
    Keys,
    /// Rejected key; the help names the replacement.
    Refused {
        /// Reason for the rejection.
        reason: &'static str,
        /// Replacement.
        help: &'static str,
    },
}

/// A named argument of a key.
#[derive(Clone, Copy, Debug)]
pub struct Argument {
    /// Name.
    pub name: &'static str,
    /// Form of its value.
    pub form: Form,
    /// Whether the argument is required.
    pub required: bool,
}

impl Argument {
    pub(crate) fn key(&self) -> Key {
        Key::new(self.name)
    }

    pub(super) const fn new(key: Key, form: Form, required: bool) -> Self {
        Self {
            name: key.as_str(),
            form,
            required,
        }
    }

    pub(super) const fn required(key: Key, value: Value) -> Self {
        Self::new(key, Form::Value(value), true)
    }

    pub(super) const fn optional(key: Key, value: Value) -> Self {
        Self::new(key, Form::Value(value), false)
    }
}

/// Type of the value after a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Value {
    /// A string.
    String,
    /// One of these strings.
    OneOf(&'static [&'static str]),
    /// A list of strings.
    Strings,
    /// A list of two strings or more.
    Choice,
    /// A list whose items are among these strings.
    Several(&'static [&'static str]),
    /// A whole number, possibly negative.
    Integer,
    /// A whole number from 0.
    Count,
    /// Any number.
    Number,
    /// Any JSON value.
    Json,
    /// A list of JSON values.
    JsonList,
    /// A JSON object.
    JsonObject,
    /// The path of a type.
    Type,
}

impl Form {
    /// Returns the syntax of `name` in this form, with placeholders for required values.
    pub fn usage(&self, name: &str) -> String {
        match self {
            Self::Flag | Self::FlagOr(_) => name.to_owned(),
            Self::Value(value) => format!("{name} = {}", value.sample()),
            Self::Arguments(arguments) => {
                let arguments: Vec<String> = arguments
                    .iter()
                    .filter(|argument| argument.required)
                    .map(|argument| argument.form.usage(argument.name))
                    .collect();
                match &arguments[..] {
                    [] => name.to_owned(),
                    arguments => format!("{name}({})", arguments.join(", ")),
                }
            }
            Self::Pair => format!("{name}(\"key\", \"value\")"),
            Self::Schema | Self::Keys | Self::Refused { .. } => format!("{name}(..)"),
        }
    }

    /// Returns the expected value in words, for messages: `a string`.
    pub(crate) fn describe(&self) -> String {
        match self {
            Self::Flag => "no value".to_owned(),
            Self::Value(value) => value.describe(),
            Self::FlagOr(value) => format!("no value or {}", value.describe()),
            Self::Arguments(_) => "named arguments in parentheses".to_owned(),
            Self::Pair => "a key and a value as strings in parentheses".to_owned(),
            Self::Schema | Self::Keys | Self::Refused { .. } => {
                "keys of `#[crd(..)]` in parentheses".to_owned()
            }
        }
    }
}

impl Value {
    /// Returns whether `json` has this type. The text of a `OneOf` and the items of lists are not
    /// checked. No JSON value is a `Type`.
    pub(crate) fn takes(self, json: &JsonValue) -> bool {
        match (self, json) {
            (Self::Json, _) => true,
            (Self::String | Self::OneOf(_), JsonValue::String(_)) => true,
            (Self::Strings | Self::Choice | Self::Several(_), JsonValue::Array(_)) => true,
            (Self::JsonList, JsonValue::Array(_)) => true,
            (Self::JsonObject, JsonValue::Object(_)) => true,
            (Self::Number, JsonValue::Number(_)) => true,
            (Self::Integer, JsonValue::Number(number)) => number.as_i128().is_some(),
            (Self::Count, JsonValue::Number(number)) => {
                number.as_i128().is_some_and(|count| count >= 0)
            }
            _ => false,
        }
    }

    /// Returns a placeholder for a value.
    pub fn sample(self) -> String {
        match self {
            Self::String => "\"..\"".to_owned(),
            Self::OneOf(names) => format!("{:?}", names.first().copied().unwrap_or_default()),
            Self::Strings => "[\"..\"]".to_owned(),
            Self::Choice => "[\"a\", \"b\"]".to_owned(),
            Self::Several(names) => format!("[{:?}]", names.first().copied().unwrap_or_default()),
            Self::Integer | Self::Count | Self::Number => "1".to_owned(),
            Self::Json => "<json>".to_owned(),
            Self::JsonList => "[<json>, ..]".to_owned(),
            Self::JsonObject => "{ \"..\": <json> }".to_owned(),
            Self::Type => "Pod".to_owned(),
        }
    }

    /// Returns the type of the value in words.
    pub fn describe(self) -> String {
        match self {
            Self::String => "a string".to_owned(),
            Self::OneOf(names) => suggest::one_of(names),
            Self::Strings => "a list of strings".to_owned(),
            Self::Choice => "a list of at least two strings".to_owned(),
            Self::Several(names) => format!("a list of {}", suggest::one_of(names)),
            Self::Integer => "an integer".to_owned(),
            Self::Count => "a non-negative integer".to_owned(),
            Self::Number => "a number".to_owned(),
            Self::Json => "a JSON value".to_owned(),
            Self::JsonList => "a list of JSON values".to_owned(),
            Self::JsonObject => "a JSON object".to_owned(),
            Self::Type => "a type".to_owned(),
        }
    }
}
