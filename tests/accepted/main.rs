//! Inputs that the macros accept, and what their expansions do.

#![expect(missing_docs, reason = "inputs are as short as possible")]

pub mod another_kind;
pub mod cfg;
pub mod flatten;
pub mod lints;
pub mod minimal;
pub mod names_of_the_prelude;
pub mod schema_keys;
pub mod serde_attributes;
pub mod status;
pub mod webhook_path;
