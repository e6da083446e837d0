//! Two `mod` declarations whose files exist, one with `#[path]`.

pub mod nowhere;

#[path = "elsewhere/gone.rs"]
pub mod gone;
