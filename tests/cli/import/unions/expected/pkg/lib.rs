//! A library.

pub mod apis;
pub mod client;
