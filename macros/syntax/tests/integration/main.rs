//! Integration tests of the grammar: valid attributes, and the table's examples. Invalid attributes
//! are in `tests/attributes`.

#![expect(clippy::unwrap_used, reason = "a panic is how a test fails")]

mod examples;
mod kube;
mod valid;
