//! Parser of attribute arguments: `name`, `name = value` and `name(…)`, separated by commas.
//!
//! Each argument is parsed by itself, so that one syntax error does not hide others.

use std::fmt;

use proc_macro2::{Delimiter, Group, Span, TokenStream, TokenTree};
use syn::Lit;
use syn::ext::IdentExt;
use syn::parse::{ParseStream, Parser};

use crate::{Help, Json, JsonValue, Problem, Problems, json};

/// A key with its value as written, not yet checked against the table of attributes.
#[derive(Clone)]
pub(crate) struct RawKey {
    pub(crate) name: String,
    pub(crate) span: Span,
    pub(crate) after: After,
}

/// Tokens after a key: none, a value, or a list in parentheses.
#[derive(Clone)]
pub(crate) enum After {
    Nothing,
    Value(Json),
    List(TokenStream),
}

impl RawKey {
    pub(crate) fn renamed(&self, name: impl fmt::Display) -> Self {
        Self {
            name: name.to_string(),
            ..self.clone()
        }
    }

    pub(crate) fn with(&self, after: After) -> Self {
        Self {
            after,
            ..self.clone()
        }
    }

    /// Returns whether the value turns a flag off: `key = false`.
    pub(crate) fn is_off(&self) -> bool {
        self.is_switched(false)
    }

    /// Returns whether the value is true: `key = true`. On a flag, the value is redundant.
    pub(crate) fn is_on(&self) -> bool {
        self.is_switched(true)
    }

    fn is_switched(&self, on: bool) -> bool {
        match &self.after {
            After::Value(json) => match &json.value {
                JsonValue::Bool(value) => *value == on,
                JsonValue::String(value) => *value == on.to_string(),
                _ => false,
            },
            _ => false,
        }
    }

    /// Returns the unnamed values: one for `key = 1`, two for `key("a", "b")`.
    pub(crate) fn values(&self) -> Vec<Json> {
        match &self.after {
            After::Nothing => Vec::new(),
            After::Value(json) => vec![json.clone()],
            After::List(tokens) => parse_values(tokens.clone()).unwrap_or_default(),
        }
    }
}

/// Formats the key with its value, in the syntax of the attribute.
impl fmt::Display for RawKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.after {
            After::Nothing => f.write_str(&self.name),
            After::Value(json) => write!(f, "{} = {json:#}", self.name),
            After::List(tokens) => write!(f, "{}({})", self.name, format_list(tokens)),
        }
    }
}

/// Formats a list of values or of keys, in the syntax of the attribute. Keys with syntax errors are
/// omitted.
fn format_list(tokens: &TokenStream) -> String {
    match parse_values(tokens.clone()) {
        Ok(values) => join_formatted(values.iter().map(|value| format!("{value:#}"))),
        Err(_) => join_formatted(parse_arguments(tokens.clone(), &mut Problems::new())),
    }
}

pub(crate) fn join_formatted(items: impl IntoIterator<Item = impl fmt::Display>) -> String {
    let items: Vec<String> = items.into_iter().map(|item| item.to_string()).collect();
    items.join(", ")
}

/// Reads a comma-separated list of `name`, `name = value` and `name(…)`.
pub(crate) fn parse_arguments(tokens: TokenStream, problems: &mut Problems) -> Vec<RawKey> {
    let mut all = Vec::new();
    for piece in split_at_commas(tokens, problems) {
        match read_piece(piece) {
            Ok(written) => all.push(written),
            Err(problem) => problems.push(problem),
        }
    }
    all
}

/// Reads a list of unnamed values: `"key", "value"`.
pub(crate) fn parse_values(tokens: TokenStream) -> Result<Vec<Json>, Problem> {
    let parser = syn::punctuated::Punctuated::<Json, syn::Token![,]>::parse_terminated;
    Ok(parser.parse2(tokens)?.into_iter().collect())
}

/// Splits the tokens at commas, and reports a comma without tokens before it.
fn split_at_commas(tokens: TokenStream, problems: &mut Problems) -> Vec<Vec<TokenTree>> {
    let mut pieces = Vec::new();
    let mut piece = Vec::new();
    for token in tokens {
        match token {
            TokenTree::Punct(comma) if comma.as_char() == ',' => {
                if piece.is_empty() {
                    problems.report(
                        comma.span(),
                        "expected a key before the comma",
                        "remove the comma",
                    );
                } else {
                    pieces.push(std::mem::take(&mut piece));
                }
            }
            token => piece.push(token),
        }
    }
    if !piece.is_empty() {
        pieces.push(piece);
    }
    pieces
}

fn read_piece(piece: Vec<TokenTree>) -> Result<RawKey, Problem> {
    let mut tokens = piece.into_iter();
    let (name, span) = match tokens.next() {
        Some(TokenTree::Ident(name)) => (
            name.to_string().trim_start_matches("r#").to_owned(),
            name.span(),
        ),
        Some(other) => {
            return Err(Problem::new(other.span(), "expected a key")
                .with_help("write `key`, `key = value` or `key(..)`"));
        }
        None => return Err(Problem::new(Span::call_site(), "expected a key")),
    };
    let after = match tokens.next() {
        None => After::Nothing,
        Some(TokenTree::Punct(equals))
            if equals.as_char() == '=' && !is_punct(tokens.as_slice().first(), '=') =>
        {
            After::Value(read_value(tokens.as_slice(), equals.span(), &name)?)
        }
        Some(TokenTree::Group(list)) if list.delimiter() == Delimiter::Parenthesis => {
            read_list(&list, tokens.next())?
        }
        Some(other) => return Err(unexpected_token_problem(&other, tokens.as_slice(), &name)),
    };
    Ok(RawKey { name, span, after })
}

fn read_list(list: &Group, next: Option<TokenTree>) -> Result<After, Problem> {
    match next {
        None => Ok(After::List(list.stream())),
        Some(other) => {
            Err(Problem::new(other.span(), "expected a comma")
                .with_help("separate the keys by commas"))
        }
    }
}

fn read_value(tokens: &[TokenTree], equals: Span, name: &str) -> Result<Json, Problem> {
    match tokens {
        [] => {
            let help = "write a literal, `null`, `[..]` or `{ \"name\": .. }` after it";
            Err(Problem::new(equals, format!("expected a value after `{name} =`")).with_help(help))
        }
        // Most values are one token, which needs no parser.
        [TokenTree::Literal(literal)] => Ok(Json::of_literal(&Lit::new(literal.clone()))?),
        tokens => Ok(parse_only_value.parse2(tokens.iter().cloned().collect())?),
    }
}

/// Parses one value. If a word follows, reports the missing comma before the next key.
fn parse_only_value(input: ParseStream<'_>) -> syn::Result<Json> {
    let value: Json = input.parse()?;
    if input.is_empty() {
        Ok(value)
    } else if input.peek(syn::Ident::peek_any) {
        Err(input.error("expected a comma\nhelp: separate the keys by commas"))
    } else if value.text().is_some() && ends_in_literal(&input.fork()) {
        Err(input.error(json::UNESCAPED_QUOTE))
    } else {
        Err(input.error(json::EXPECTED_VALUE))
    }
}

fn ends_in_literal(input: ParseStream<'_>) -> bool {
    let rest = input.parse::<TokenStream>().unwrap_or_default();
    matches!(rest.into_iter().last(), Some(TokenTree::Literal(_)))
}

/// The error for a key and a value without `=` or parentheses: `key 1`, `key: 1`, `key[..]`.
fn unexpected_token_problem(token: &TokenTree, rest: &[TokenTree], name: &str) -> Problem {
    let message = format!("expected a comma, `=` or `(` after `{name}`");
    let help = match value_after(token, rest) {
        Some(after) => {
            let (name, span) = (name.to_owned(), token.span());
            Help::write_key(RawKey { name, span, after })
        }
        None => "separate the keys by commas".into(),
    };
    Problem::new(token.span(), message).with_help(help)
}

/// Returns the value that starts at `token`, or after `token` if it is `:` or `=`.
fn value_after(token: &TokenTree, rest: &[TokenTree]) -> Option<After> {
    let is_sign = is_punct(Some(token), ':') || is_punct(Some(token), '=');
    let rest = rest.iter().skip_while(|token| is_punct(Some(token), '='));
    let tokens = (!is_sign).then_some(token).into_iter().chain(rest);
    match syn::parse2(tokens.cloned().collect()) {
        Ok(json) => Some(After::Value(json)),
        Err(_) => match token {
            TokenTree::Group(list) => Some(After::List(list.stream())),
            _ => None,
        },
    }
}

fn is_punct(token: Option<&TokenTree>, sign: char) -> bool {
    matches!(token, Some(TokenTree::Punct(punct)) if punct.as_char() == sign)
}
