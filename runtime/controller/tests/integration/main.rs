//! Integration tests of controllers and webhooks.

#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test fails by panicking, and so do its helpers"
)]

mod api;
mod controllers;
mod log;
mod responses;
mod store;
mod webhooks;
