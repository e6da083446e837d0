//! Text → items, or what is wrong with the syntax.

use std::sync::Arc;

use proc_macro2::TokenStream;
use syn::Item;

use crate::diagnostic::{Diagnostic, Location, SourceText};
use crate::nesting;

/// What stands in a file, or what is wrong with it.
pub(super) fn items(source: &Arc<SourceText>) -> Result<Vec<Item>, Vec<Diagnostic>> {
    let tokens = tokens(&source.text).map_err(|error| syntax_errors(&error, source))?;
    if let Some(finding) = nested_too_deep(tokens.clone(), source) {
        return Err(vec![finding]);
    }
    match syn::parse2::<syn::File>(tokens) {
        Ok(file) => Ok(file.items),
        Err(error) => Err(syntax_errors(&error, source)),
    }
}

fn tokens(text: &str) -> syn::Result<TokenStream> {
    let has_shebang = text.starts_with("#!") && !text.starts_with("#![");
    let tokens = if has_shebang {
        // As long as before, so that places stay what they are.
        text.replacen("#!", "//", 1).parse()
    } else {
        text.parse()
    };
    tokens.map_err(syn::Error::from)
}

/// A parser's stack is not endless.
fn nested_too_deep(tokens: TokenStream, source: &Arc<SourceText>) -> Option<Diagnostic> {
    let location = Location::of(source, nesting::too_deep(tokens)?);
    let message = format!("nested more than {} levels deep", nesting::LIMIT);
    let finding = Diagnostic::error(message).at(location);
    Some(finding.help("give an inner part a name of its own"))
}

fn syntax_errors(error: &syn::Error, source: &Arc<SourceText>) -> Vec<Diagnostic> {
    let finding = |error: syn::Error| {
        let mut at = Location::of(source, error.span());
        if at.span.is_empty() {
            // Something is missing where the file ends.
            at.span = source.text.len()..source.text.len();
        }
        Diagnostic::error(syntax_error(&error))
            .at(at)
            .help("fix the syntax: `cargo check` shows the same place with more around it")
    };
    error.clone().into_iter().map(finding).collect()
}

/// What is wrong with the syntax; what no token can be made of has no words of its own.
fn syntax_error(error: &syn::Error) -> String {
    let text = error.to_string();
    if text == "cannot parse string into token stream" {
        "a bracket, a quote or a comment is not closed".to_owned()
    } else {
        text
    }
}
