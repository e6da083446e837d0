//! Code blocks of the README and of the guides, compiled.
//!
//! `build.rs` writes a module for each page. A comment above each block has its page and line.

#![allow(
    missing_docs,
    non_snake_case,
    clippy::expect_used,
    clippy::unwrap_used,
    dead_code,
    unused_imports,
    unused_mut,
    unused_variables,
    reason = "blocks are excerpts: their items and values are not used"
)]

include!(concat!(env!("OUT_DIR"), "/pages.rs"));

/// The documentation of the macros, whose examples run as doctests.
#[cfg(doctest)]
mod macros {
    #[doc = include_str!("../../macros/docs/genclient.md")]
    struct Genclient;

    #[doc = include_str!("../../macros/docs/crd_schema.md")]
    struct CrdSchema;

    #[doc = include_str!("../../macros/docs/webhook.md")]
    struct Webhook;

    #[doc = include_str!("../../macros/docs/rbac.md")]
    struct Rbac;
}
