//! API groups.

pub mod v1;
