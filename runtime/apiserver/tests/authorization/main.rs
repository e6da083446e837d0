//! Authorization tests: users, roles, reviews and recorded requests.

#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test fails by panicking, and so do its helpers"
)]

mod dialogue;
mod users;
