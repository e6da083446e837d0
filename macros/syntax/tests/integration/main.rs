//! Integration tests of the grammar: valid attributes, invalid ones, and the table's examples.

#![expect(clippy::unwrap_used, reason = "a panic is how a test fails")]

mod examples;
mod invalid;
mod kube;
mod valid;
