//! API types.

pub mod example;
