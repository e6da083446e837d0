//! API of the group `apps.example.io`, with its generated clients, controller and webhooks.

pub mod apis;
pub mod client;
pub mod controller;
pub mod webhook;
