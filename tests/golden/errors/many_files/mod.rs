//! Errors in several files, reported together and sorted by file and line.

pub mod first;
pub mod second;
