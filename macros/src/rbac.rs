//! Expansion of `#[rbac]`: the unchanged item, and the errors in the rule.

use genclient_syntax::{Problems, RbacRule};
use proc_macro2::TokenStream;
use quote::quote;
use syn::parse_quote;

/// Expands `#[rbac(attr)] item`: checks the rule, which only the command `genclient` uses.
pub(crate) fn expand(attr: TokenStream, item: TokenStream) -> TokenStream {
    let mut problems = Problems::new();
    RbacRule::parse(&parse_quote!(#[rbac(#attr)]), &mut problems);
    let errors = problems.to_compile_errors();
    quote! { #item #errors }
}
