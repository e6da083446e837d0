//! API types.

pub mod type_;
