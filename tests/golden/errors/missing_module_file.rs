//! Two `mod` declarations whose files are missing, one with `#[path]`: both are reported.

pub mod nowhere;

#[path = "elsewhere/gone.rs"]
pub mod gone;
