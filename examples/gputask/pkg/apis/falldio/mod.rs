//! The group `falldio.com`.

pub mod v1;
