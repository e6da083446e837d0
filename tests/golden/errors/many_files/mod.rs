//! Mistakes in several files: all of them, by file and line.

pub mod first;
pub mod second;
