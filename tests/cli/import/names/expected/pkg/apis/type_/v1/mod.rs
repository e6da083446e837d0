//! Version `v1` of the group `type.example.com`.

pub mod crate_;
pub mod mod_;
pub mod option;
pub mod result;
pub mod self_;
pub mod string;
pub mod time;
pub mod type_;
pub mod vec;
