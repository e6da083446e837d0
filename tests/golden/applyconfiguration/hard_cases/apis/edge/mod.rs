//! The group `edge.example.com`.

pub mod v1;
