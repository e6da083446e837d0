//! Position of `#[genclient]`: once, above every attribute that it reads.

use proc_macro2::Span;
use syn::spanned::Spanned as _;

use crate::{Problems, is_genclient, is_grammar};

/// Returns the span of `#[genclient]`, or `None` without one.
///
/// The compiler expands attributes from top to bottom: a derive above `#[genclient]` has seen the
/// struct before `#[genclient]` changes it.
pub(super) fn check(attrs: &[syn::Attribute], problems: &mut Problems) -> Option<Span> {
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
    for again in attrs[first + 1..].iter().filter(|attr| is_genclient(attr)) {
        let help = "write all options into one: `#[genclient(no_status, readonly)]`";
        problems.report(again.path().span(), "`#[genclient]` stands once", help);
    }
    Some(attrs[first].path().span())
}
