//! A `mod` line with a file, and one with a file elsewhere.

pub mod nowhere;

#[path = "elsewhere/gone.rs"]
pub mod gone;
