//! The group `control.example.com`.

pub mod v1;
