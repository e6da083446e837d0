//! Code blocks of the README and of the guides, compiled in the contexts of `contexts/`.
//!
//! `build.rs` writes the modules. A compiler error shows the line of the block in its page, in a
//! comment above the block.

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
