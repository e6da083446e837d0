//! The group `type.example.com`.

pub mod v1;
