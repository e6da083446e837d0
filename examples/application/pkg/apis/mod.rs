//! API types, by group and version.

pub mod apps;
