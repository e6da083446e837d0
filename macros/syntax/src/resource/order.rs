//! Position check of `#[genclient]`: once, above every attribute that it reads.

use proc_macro2::Span;
use syn::Attribute;
use syn::spanned::Spanned as _;

use crate::arguments::{self, joined};
use crate::{Problems, is_genclient, is_grammar};

/// Returns the span of `#[genclient]`, or `None` without one.
///
/// The compiler expands attributes from top to bottom: a derive above `#[genclient]` sees the
/// struct before `#[genclient]` changes it.
pub(super) fn check(attrs: &[Attribute], problems: &mut Problems) -> Option<Span> {
    let first = attrs.iter().position(is_genclient)?;
    for above in &attrs[..first] {
        let Some(name) = above.path().get_ident() else {
            continue;
        };
        if is_grammar(name) || name == "derive" {
            let message = format!("`#[{name}]` has to stand below `#[genclient]`");
            problems.report(above.path().span(), message, "move `#[genclient]` above it");
        }
    }
    check_once(attrs, problems);
    Some(attrs[first].path().span())
}

/// Reports every `#[genclient]` but the first.
pub(crate) fn check_once(attrs: &[Attribute], problems: &mut Problems) {
    for again in attrs.iter().filter(|attr| is_genclient(attr)).skip(1) {
        let help = match options(attrs).as_slice() {
            [] => "remove it".to_owned(),
            options => format!(
                "write all options into one: `#[genclient({})]`",
                joined(options)
            ),
        };
        problems.report(again.path().span(), "`#[genclient]` stands once", help);
    }
}

/// Returns the options of every `#[genclient(…)]` without duplicates.
fn options(attrs: &[Attribute]) -> Vec<String> {
    let attrs = attrs.iter().filter(|attr| is_genclient(attr));
    let lists = attrs.filter_map(|attr| attr.meta.require_list().ok());
    let mut options = Vec::new();
    for raw in lists.flat_map(|list| arguments::read(list.tokens.clone(), &mut Problems::new())) {
        let option = raw.to_string();
        if !options.contains(&option) {
            options.push(option);
        }
    }
    options
}
