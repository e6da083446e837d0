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

/// The docs of the macros, whose examples run as doctests.
#[cfg(doctest)]
#[allow(non_camel_case_types, reason = "structs have the names of the macros")]
mod macros {
    include!(concat!(env!("OUT_DIR"), "/macros.rs"));
}
