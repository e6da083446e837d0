//! API of the group `control.example.com`: handwritten types, and their generated clients.

pub mod apis;
pub mod client;
