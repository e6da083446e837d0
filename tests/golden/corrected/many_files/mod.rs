//! Types in several files, without errors.

pub mod first;
pub mod second;
