//! JSON values written as Rust tokens: `["a", 1]`, `{ "a": true }`, `null`, `-1.5`.

use std::cmp::Ordering;
use std::fmt;

use syn::ext::IdentExt as _;
use syn::parse::{Parse, ParseStream};
use syn::{Ident, Lit, LitStr, Token, braced, bracketed, token};

use crate::spanned::Spanned;

/// A JSON value with its source span, which includes the brackets of a list or the braces of an
/// object.
pub type Json = Spanned<JsonValue>;

/// A JSON value without a span of its own.
#[derive(Clone, Debug, PartialEq)]
pub enum JsonValue {
    /// `null`
    Null,
    /// `true`, `false`
    Bool(bool),
    /// `1`, `-2.5`, `1e6`
    Number(Number),
    /// `"text"`
    String(String),
    /// `[1, 2]`
    Array(Vec<Json>),
    /// `{ "name": 1 }`, in source order
    Object(Vec<(Spanned<String>, Json)>),
}

/// A number as decimal text, so that the CRD has the number without loss of precision.
///
/// Underscores are removed, and hexadecimal, octal and binary numbers are converted, so that the
/// text is always a JSON number.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Number(pub(crate) String);

impl Number {
    /// Returns the JSON text of the number.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the integer, or `None` if the text has a fraction or an exponent or is out of range.
    pub fn as_i128(&self) -> Option<i128> {
        self.0.parse().ok()
    }

    /// Returns the nearest float.
    pub fn as_f64(&self) -> f64 {
        self.0.parse().unwrap_or(f64::NAN)
    }

    /// Returns whether the number is whole, also if written as `3.0` or `3e2`.
    pub fn is_whole(&self) -> bool {
        self.as_i128().is_some() || self.as_f64().fract() == 0.0
    }
}

impl PartialOrd for Number {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        match (self.as_i128(), other.as_i128()) {
            (Some(left), Some(right)) => Some(left.cmp(&right)),
            _ => self.as_f64().partial_cmp(&other.as_f64()),
        }
    }
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Formats the value as compact JSON, or with `{:#}` in the syntax of attributes. Members of
/// objects keep their source order.
impl fmt::Display for Json {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (comma, colon, space) = if f.alternate() {
            (", ", ": ", " ")
        } else {
            (",", ":", "")
        };
        match &self.value {
            JsonValue::Null => f.write_str("null"),
            JsonValue::Bool(value) => write!(f, "{value}"),
            JsonValue::Number(number) => write!(f, "{number}"),
            JsonValue::String(text) => write_string(f, text),
            JsonValue::Array(items) => {
                f.write_str("[")?;
                for (index, item) in items.iter().enumerate() {
                    f.write_str(if index == 0 { "" } else { comma })?;
                    fmt::Display::fmt(item, f)?;
                }
                f.write_str("]")
            }
            JsonValue::Object(members) if members.is_empty() => f.write_str("{}"),
            JsonValue::Object(members) => {
                write!(f, "{{{space}")?;
                for (index, (name, value)) in members.iter().enumerate() {
                    f.write_str(if index == 0 { "" } else { comma })?;
                    write_string(f, &name.value)?;
                    f.write_str(colon)?;
                    fmt::Display::fmt(value, f)?;
                }
                write!(f, "{space}}}")
            }
        }
    }
}

fn write_string(f: &mut fmt::Formatter<'_>, text: &str) -> fmt::Result {
    if f.alternate() {
        return write!(f, "{text:?}");
    }
    f.write_str("\"")?;
    for letter in text.chars() {
        match letter {
            '"' => f.write_str("\\\"")?,
            '\\' => f.write_str("\\\\")?,
            '\n' => f.write_str("\\n")?,
            control if control < ' ' => write!(f, "\\u{:04x}", u32::from(control))?,
            letter => write!(f, "{letter}")?,
        }
    }
    f.write_str("\"")
}

impl Json {
    /// Returns the text if the value is a string.
    pub(crate) fn text(&self) -> Option<Spanned<String>> {
        match &self.value {
            JsonValue::String(text) => Some(Spanned::new(text.clone(), self.span)),
            _ => None,
        }
    }

    pub(crate) fn of_literal(literal: &Lit) -> syn::Result<Self> {
        Ok(Self {
            span: literal.span(),
            value: literal_value(literal)?,
        })
    }
}

impl Parse for Json {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        if input.peek(Token![-]) {
            let minus: Token![-] = input.parse()?;
            let json = parse_literal(input)?;
            return match json.value {
                JsonValue::Number(Number(digits)) => Ok(Self {
                    value: JsonValue::Number(Number(format!("-{digits}"))),
                    span: minus.span.join(json.span).unwrap_or(minus.span),
                }),
                _ => Err(syn::Error::new(
                    minus.span,
                    "expected a number after `-`\nhelp: remove the minus",
                )),
            };
        }
        if input.peek(token::Bracket) {
            parse_array(input)
        } else if input.peek(token::Brace) {
            parse_object(input)
        } else {
            parse_literal(input)
        }
    }
}

/// Error for tokens that are not a JSON value.
pub(crate) const EXPECTED_VALUE: &str =
    "expected a JSON value\nhelp: write a literal, `null`, `[..]` or `{ \"name\": .. }`";

/// Error for a string literal that ends early at an unescaped quote. Rust reads the start of
/// `"say "hi""` as the string `"say "` with the suffix `hi`.
pub(crate) const UNESCAPED_QUOTE: &str = "unescaped quote in a string\nhelp: write `\\\"` inside a string; a CEL rule also accepts `'`: `'a'`";

fn parse_array(input: ParseStream<'_>) -> syn::Result<Json> {
    let content;
    let brackets = bracketed!(content in input);
    let items = content.parse_terminated(Json::parse, Token![,])?;
    Ok(Json {
        value: JsonValue::Array(items.into_iter().collect()),
        span: brackets.span.join(),
    })
}

fn parse_object(input: ParseStream<'_>) -> syn::Result<Json> {
    let content;
    let braces = braced!(content in input);
    let mut members: Vec<(Spanned<String>, Json)> = Vec::new();
    for (name, value) in content.parse_terminated(parse_member, Token![,])? {
        if members.iter().any(|(known, _)| known.value == name.value()) {
            return Err(syn::Error::new(
                name.span(),
                format!("duplicate key `{}`\nhelp: keep one of them", name.value()),
            ));
        }
        members.push((Spanned::new(name.value(), name.span()), value));
    }
    Ok(Json {
        value: JsonValue::Object(members),
        span: braces.span.join(),
    })
}

fn parse_member(input: ParseStream<'_>) -> syn::Result<(LitStr, Json)> {
    if input.peek(Ident::peek_any) {
        let name = input.call(Ident::parse_any)?;
        let message = format!("property names in JSON need quotes\nhelp: write `\"{name}\"`");
        return Err(syn::Error::new(name.span(), message));
    }
    let name = input.parse()?;
    input.parse::<Token![:]>()?;
    Ok((name, input.parse()?))
}

fn parse_literal(input: ParseStream<'_>) -> syn::Result<Json> {
    // The `peek` avoids building an error for tokens other than identifiers.
    if input.peek(Ident)
        && let Ok(null) = input.fork().parse::<Ident>()
        && null == "null"
    {
        input.parse::<Ident>()?;
        return Ok(Json {
            value: JsonValue::Null,
            span: null.span(),
        });
    }
    if !input.peek(Lit) {
        return Err(input.error(EXPECTED_VALUE));
    }
    input.parse().and_then(|literal| Json::of_literal(&literal))
}

fn literal_value(literal: &Lit) -> syn::Result<JsonValue> {
    match literal {
        Lit::Str(text) if text.suffix().is_empty() => Ok(JsonValue::String(text.value())),
        Lit::Str(_) => Err(syn::Error::new(literal.span(), UNESCAPED_QUOTE)),
        Lit::Bool(value) => Ok(JsonValue::Bool(value.value)),
        Lit::Int(number) if number.suffix().is_empty() => {
            in_range(literal, number.base10_digits().to_owned())
        }
        Lit::Float(number) if number.suffix().is_empty() => {
            in_range(literal, json_float(number.base10_digits()))
        }
        Lit::Int(_) | Lit::Float(_) => Err(syn::Error::new(
            literal.span(),
            "a JSON number must not have a type suffix\nhelp: remove the suffix",
        )),
        _ => Err(syn::Error::new(
            literal.span(),
            "invalid JSON value\nhelp: write a string, a number, `true`, `false` or `null`",
        )),
    }
}

/// Rejects numbers beyond the range of `f64`, because the API server cannot decode them.
fn in_range(literal: &Lit, digits: String) -> syn::Result<JsonValue> {
    let number = Number(digits);
    if number.as_f64().is_finite() {
        return Ok(JsonValue::Number(number));
    }
    Err(syn::Error::new(
        literal.span(),
        "number out of range\nhelp: write a number below 1.8e308",
    ))
}

/// Normalizes a Rust float such as `1.` or `00.5`: JSON requires a digit on both sides of the point
/// and allows no leading zeros.
fn json_float(digits: &str) -> String {
    let whole = digits.trim_start_matches('0');
    let lead = if whole.starts_with(|c: char| c.is_ascii_digit()) {
        ""
    } else {
        "0"
    };
    let tail = if whole.ends_with('.') { "0" } else { "" };
    format!("{lead}{whole}{tail}")
}

#[cfg(test)]
mod tests {
    use super::{Json, JsonValue, Number};

    #[track_caller]
    fn check(tokens: &str, json: &str) {
        match syn::parse_str::<Json>(tokens) {
            Ok(value) => assert_eq!(value.to_string(), json),
            Err(error) => panic!("{tokens}: {error}"),
        }
    }

    #[track_caller]
    fn refuse(tokens: &str, message: &str) {
        match syn::parse_str::<Json>(tokens) {
            Ok(value) => panic!("{tokens} is read as {value}"),
            Err(error) => assert_eq!(error.to_string(), message),
        }
    }

    #[test]
    fn json_is_read_from_rust_tokens() {
        check("null", "null");
        check("true", "true");
        check("\"a\\\"b\\n\\u{1}\"", r#""a\"b\n\u0001""#);
        check("[\"a\", 1, [],]", r#"["a",1,[]]"#);
        check(
            "{ \"b\": true, \"a\": { \"c\": null } }",
            r#"{"b":true,"a":{"c":null}}"#,
        );
    }

    #[test]
    fn json_round_trips_through_rust_tokens() {
        for tokens in [
            "[\"a\\\"b\\n\\u{1}\", 1, [], {}]",
            "{ \"b\": true, \"a\": { \"c\": null } }",
        ] {
            let json = syn::parse_str::<Json>(tokens).map(|json| format!("{json:#}"));
            assert_eq!(json.ok().as_deref(), Some(tokens));
        }
    }

    #[test]
    fn numbers_keep_their_digits() {
        for (tokens, json) in [
            ("18446744073709551616", "18446744073709551616"),
            ("-1_000", "-1000"),
            ("0x10", "16"),
            ("007", "7"),
            ("0.10", "0.10"),
            ("00.5", "0.5"),
            ("1.", "1.0"),
            ("-2.5e-3", "-2.5e-3"),
        ] {
            check(tokens, json);
        }
    }

    #[test]
    fn invalid_json_tokens_are_rejected() {
        refuse(
            "b\"x\"",
            "invalid JSON value\nhelp: write a string, a number, `true`, `false` or `null`",
        );
        refuse(
            "1u8",
            "a JSON number must not have a type suffix\nhelp: remove the suffix",
        );
        refuse(
            "1e999",
            "number out of range\nhelp: write a number below 1.8e308",
        );
        refuse(
            "-\"x\"",
            "expected a number after `-`\nhelp: remove the minus",
        );
        refuse(
            "Foo::Bar",
            "expected a JSON value\nhelp: write a literal, `null`, `[..]` or `{ \"name\": .. }`",
        );
        refuse(
            "{ \"a\": 1, \"a\": 2 }",
            "duplicate key `a`\nhelp: keep one of them",
        );
    }

    #[test]
    fn numbers_are_compared_by_value() {
        let number = |text: &str| Number(text.to_owned());
        assert!(number("9007199254740993") > number("9007199254740992"));
        assert!(number("1.5") > number("1"));
        assert!(number("3.0").is_whole() && !number("3.5").is_whole());
        assert_eq!(number("3.5").as_i128(), None);
        assert!(
            matches!(syn::parse_str::<Json>("1").map(|json| json.value), Ok(JsonValue::Number(one)) if one.as_f64() == 1.0)
        );
    }
}
