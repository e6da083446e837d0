//! The API of the group `falldio.com`, the clients generated for it, and the controller that serves it.

pub mod apis;
pub mod client;
pub mod controller;
pub mod reconciler;
