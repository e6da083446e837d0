//! Paths and names that the output uses, each written once.
//!
//! Everything is absolute, as the output stands between the user's own names.

use proc_macro2::{Ident, Span, TokenStream};
use quote::quote;

/// serde, as the runtime crate has it.
pub(super) fn serde() -> TokenStream {
    quote!(::genclient::__private::serde)
}

/// kube, as the runtime crate has it.
pub(super) fn kube() -> TokenStream {
    quote!(::genclient::kube)
}

/// A name inside the output that no type of the user's has.
pub(super) fn hidden(name: &str) -> Ident {
    Ident::new(&format!("__genclient_{name}"), Span::call_site())
}
