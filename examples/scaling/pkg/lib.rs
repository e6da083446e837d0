//! The API of the group `control.example.com`: hand-written types, and the clients generated for them.

pub mod apis;
pub mod client;
