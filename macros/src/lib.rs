//! Procedural macros of genclient: `#[genclient]`, `#[derive(CrdSchema)]`, `#[webhook]` and
//! `#[rbac]`.
//!
//! Use them through the crate `genclient`, which the generated code refers to.

mod crd_schema;
mod genclient;
mod rbac;
mod webhook;

use proc_macro::TokenStream;

#[doc = include_str!("../docs/genclient.md")]
#[proc_macro_attribute]
pub fn genclient(attr: TokenStream, item: TokenStream) -> TokenStream {
    genclient::expand(attr.into(), item.into(), genclient::above_call_site).into()
}

#[doc = include_str!("../docs/crd_schema.md")]
#[proc_macro_derive(CrdSchema, attributes(crd))]
pub fn crd_schema(item: TokenStream) -> TokenStream {
    crd_schema::expand(item.into()).into()
}

#[doc = include_str!("../docs/webhook.md")]
#[proc_macro_attribute]
pub fn webhook(attr: TokenStream, item: TokenStream) -> TokenStream {
    webhook::expand(attr.into(), item.into()).into()
}

#[doc = include_str!("../docs/rbac.md")]
#[proc_macro_attribute]
pub fn rbac(attr: TokenStream, item: TokenStream) -> TokenStream {
    rbac::expand(attr.into(), item.into()).into()
}
