//! Text → items, or what is wrong with the syntax.

use std::sync::Arc;

use syn::Item;

use crate::diagnostic::{Diagnostic, Location, SourceText};
use crate::nesting;

/// What stands in a file, or what is wrong with it.
pub(super) fn items(source: &Arc<SourceText>) -> Result<Vec<Item>, Vec<Diagnostic>> {
    if let Some(finding) = nested_too_deep(source) {
        return Err(vec![finding]);
    }
    match syn::parse_file(&source.text) {
        Ok(file) => Ok(file.items),
        Err(error) => Err(syntax_errors(&error, source)),
    }
}

/// A parser's stack is not endless.
fn nested_too_deep(source: &Arc<SourceText>) -> Option<Diagnostic> {
    let at = nesting::too_deep(&source.text)?;
    let location = Location {
        source: Arc::clone(source),
        span: at..at + 1,
    };
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
            .help("mend the syntax: `cargo check` shows the same place with more around it")
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
