//! API of the group `falldio.com`, with its generated clients and its controller.

pub mod apis;
pub mod client;
pub mod controller;
pub mod reconciler;
