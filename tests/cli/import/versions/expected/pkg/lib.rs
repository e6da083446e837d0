//! A library.

pub mod apis;
