//! Expansion of `#[rbac]`: the item as it is, with an error for every mistake in the rule.

use genclient_syntax::{Problems, RbacRule};
use proc_macro2::TokenStream;
use quote::quote;
use syn::parse_quote;

/// Expands `#[rbac(attr)] item`. Only the program `genclient` reads the rule.
pub(crate) fn expand(attr: TokenStream, item: TokenStream) -> TokenStream {
    let mut problems = Problems::new();
    RbacRule::parse(&parse_quote!(#[rbac(#attr)]), &mut problems);
    let errors = problems.to_compile_errors();
    quote! { #item #errors }
}
