//! API types.

pub mod library;
