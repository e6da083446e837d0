//! Parser of source files into items, with syntax errors as diagnostics.

use std::sync::Arc;

use proc_macro2::{LexError, TokenStream};
use syn::Item;

use crate::diagnostic::{Code, Diagnostic, Location, SourceText};
use crate::nesting;

/// Parses a file into items, or returns its syntax errors.
pub(super) fn parse_items(source: &Arc<SourceText>) -> Result<Vec<Item>, Vec<Diagnostic>> {
    let tokens = tokenize(&source.text).map_err(|error| vec![token_error(&error, source)])?;
    if let Some(finding) = check_nesting(tokens.clone(), source) {
        return Err(vec![finding]);
    }
    match syn::parse2::<syn::File>(tokens) {
        Ok(file) => Ok(file.items),
        Err(error) => Err(syntax_errors(&error, source)),
    }
}

fn tokenize(text: &str) -> Result<TokenStream, LexError> {
    if is_shebang(text) {
        // `//` has the same length as `#!`, so spans stay valid.
        text.replacen("#!", "//", 1).parse()
    } else {
        text.parse()
    }
}

/// True for a first line that rustc skips: `#!`, unless it begins an inner attribute
/// (`rustc_lexer::strip_shebang`).
fn is_shebang(text: &str) -> bool {
    let mut rest = text.strip_prefix("#!").map(str::trim_start);
    while let Some(text) = rest.filter(|text| text.starts_with("//") || text.starts_with("/*")) {
        let (_, after) = if text.starts_with("//") {
            text.split_once('\n')
        } else {
            text.split_once("*/")
        }
        .unwrap_or_default();
        rest = Some(after.trim_start());
    }
    rest.is_some_and(|rest| !rest.starts_with('['))
}

/// Reports deep nesting, which would overflow the parser's stack.
fn check_nesting(tokens: TokenStream, source: &Arc<SourceText>) -> Option<Diagnostic> {
    let location = Location::new(source, nesting::find_excessive_nesting(tokens)?);
    let message = format!("nested more than {} levels deep", nesting::NESTING_LIMIT);
    let finding = Diagnostic::error(message).at(location);
    Some(finding.help("move an inner part to an item of its own"))
}

fn syntax_errors(error: &syn::Error, source: &Arc<SourceText>) -> Vec<Diagnostic> {
    let finding = |error: syn::Error| {
        let mut at = Location::new(source, error.span());
        if at.span.is_empty() {
            // The error is at the end of the file.
            at.span = source.text.len()..source.text.len();
        }
        Diagnostic::error(error.to_string())
            .with_code(Code::Syntax)
            .at(at)
            .help(SYNTAX_HELP)
    };
    error.clone().into_iter().map(finding).collect()
}

const SYNTAX_HELP: &str = "fix the syntax error: `cargo check` shows it with more context";

/// Returns an error for text that cannot be tokenized, in words like rustc's.
fn token_error(error: &LexError, source: &Arc<SourceText>) -> Diagnostic {
    let mut at = Location::new(source, error.span());
    let rest = source.text.get(at.span.start..).unwrap_or_default();
    let first = rest.chars().next().unwrap_or_default();
    let mut length = first.len_utf8();
    let mut help = SYNTAX_HELP.to_owned();
    let message = match (first, quoted_text(rest, first)) {
        ('"', Some(text)) => {
            length = text.len() + 2;
            help = if text.contains(['"', '\n']) {
                "write each backslash twice: `\\\\`".to_owned()
            } else {
                format!("write `r\"{text}\"`, or each backslash twice")
            };
            "unknown character escape in a string literal"
        }
        ('\'', Some(text)) if !text.contains(['"', '\n']) => {
            length = text.len() + 2;
            help = format!("write `\"{text}\"`");
            "a character literal must have exactly one character"
        }
        ('(' | '[' | '{', _) => "unclosed delimiter",
        (')' | ']' | '}', _) => "unexpected closing delimiter",
        ('"', _) => "unterminated string literal",
        ('/', _) => "unterminated block comment",
        _ => "unknown start of token",
    };
    at.span.end = at.span.start + length;
    Diagnostic::error(message)
        .with_code(Code::Syntax)
        .at(at)
        .help(help)
}

/// Returns the text between the first quote and the next unescaped one.
fn quoted_text(text: &str, quote: char) -> Option<&str> {
    let mut escaped = false;
    let inner = text.get(quote.len_utf8()..)?;
    let end = inner.find(|c| {
        let ends = c == quote && !escaped;
        escaped = c == '\\' && !escaped;
        ends
    })?;
    Some(&inner[..end])
}

#[cfg(test)]
mod tests {
    use super::is_shebang;

    #[test]
    fn inner_attributes_are_not_shebangs() {
        for (text, expected) in [
            ("#!/usr/bin/env run\n", true),
            ("#!\nstruct A;", true),
            ("#![doc(a)]", false),
            ("#! [doc(a)]", false),
            ("#! // why\n[doc(a)]", false),
            ("#! /* why */ [doc(a)]", false),
            ("struct A;", false),
        ] {
            assert_eq!(is_shebang(text), expected, "{text}");
        }
    }
}
