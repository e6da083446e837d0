//! Tokenizer of attribute arguments: `name`, `name = value` and `name(…)`, separated by commas.
//!
//! Each argument is parsed by itself, so that one syntax error does not hide others.

use proc_macro2::{Delimiter, Group, Span, TokenStream, TokenTree};
use syn::Lit;
use syn::parse::{ParseStream, Parser};

use crate::{Json, Problem, Problems};

/// One key as it is written, not yet checked against the table.
pub(crate) struct RawKey {
    pub(crate) name: String,
    pub(crate) span: Span,
    pub(crate) after: After,
}

/// What is written after a name.
pub(crate) enum After {
    Nothing,
    Value(Json),
    List(TokenStream),
}

/// Reads `name`, `name = value` and `name(…)`, each of them ended by a comma.
pub(crate) fn read(tokens: TokenStream, problems: &mut Problems) -> Vec<RawKey> {
    let mut all = Vec::new();
    for piece in split(tokens, problems) {
        match read_piece(piece) {
            Ok(written) => all.push(written),
            Err(problem) => problems.push(problem),
        }
    }
    all
}

/// Reads values that have no names: `"key", "value"`.
pub(crate) fn read_values(tokens: TokenStream) -> Result<Vec<Json>, Problem> {
    let parser = syn::punctuated::Punctuated::<Json, syn::Token![,]>::parse_terminated;
    Ok(parser.parse2(tokens)?.into_iter().collect())
}

/// The pieces between commas, none of them empty.
fn split(tokens: TokenStream, problems: &mut Problems) -> Vec<Vec<TokenTree>> {
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
        Some(TokenTree::Punct(equals)) if equals.as_char() == '=' => {
            After::Value(read_value(tokens.as_slice(), equals.span(), &name)?)
        }
        Some(TokenTree::Group(list)) if list.delimiter() == Delimiter::Parenthesis => {
            read_list(&list, tokens.next())?
        }
        Some(other) => return Err(unexpected(&other, &name)),
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
        [] => Err(
            Problem::new(equals, format!("expected a value after `{name} =`"))
                .with_help(format!("`genclient explain {name}` shows an example")),
        ),
        // Most values are one token, which needs no parser.
        [TokenTree::Literal(literal)] => Ok(Json::of_literal(&Lit::new(literal.clone()))?),
        tokens => Ok(only_value.parse2(tokens.iter().cloned().collect())?),
    }
}

/// One value; what follows it was meant to be the next key.
fn only_value(input: ParseStream<'_>) -> syn::Result<Json> {
    let value = input.parse()?;
    if input.is_empty() {
        Ok(value)
    } else {
        Err(input.error("expected a comma\nhelp: separate the keys by commas"))
    }
}

fn unexpected(token: &TokenTree, name: &str) -> Problem {
    Problem::new(
        token.span(),
        format!("expected a comma, `=` or `(` after `{name}`"),
    )
    .with_help("separate the keys by commas")
}
