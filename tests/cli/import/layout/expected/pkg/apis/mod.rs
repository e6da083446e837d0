//! Types of this project.

pub mod example;
pub mod zoo; // which stays as it is

/// Its own.
pub const LIMIT: u32 = 1;
