//! The API of the group `apps.example.io`, the clients generated for it, and the controller and the
//! webhooks that serve it.

pub mod apis;
pub mod client;
pub mod controller;
pub mod webhook;
