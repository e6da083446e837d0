//! API types.

pub mod example;
pub mod policies;
