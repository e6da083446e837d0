//! A `mod` line without a file, beside a mistake: both are reported.

pub mod nowhere;

#[path = "elsewhere/gone.rs"]
pub mod gone;
