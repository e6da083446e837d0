//! Users, roles and reviews: requests of several users, and what a server answers them.

#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test fails by panicking, and so do its helpers"
)]

mod dialogue;
mod users;
