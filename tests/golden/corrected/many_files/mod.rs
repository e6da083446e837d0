//! Types in several files.

pub mod first;
pub mod second;
