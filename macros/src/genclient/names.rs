//! Paths and identifiers used in the generated code.
//!
//! Paths are absolute because the generated code shares a scope with the user's names.

use proc_macro2::{Ident, Span, TokenStream};
use quote::quote;

/// Path of serde, as re-exported by the runtime crate.
pub(super) fn serde_path() -> TokenStream {
    quote!(::genclient::__private::serde)
}

/// Path of kube, as re-exported by the runtime crate.
pub(super) fn kube_path() -> TokenStream {
    quote!(::genclient::kube)
}

/// Returns `name` with a prefix that sets it apart from the user's identifiers.
pub(super) fn hidden_ident(name: &str) -> Ident {
    Ident::new(&format!("__genclient_{name}"), Span::call_site())
}
