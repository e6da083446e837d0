//! Controller tests: garbage collection, namespaces, definitions, expiry, grace periods, snapshots.

#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test fails by a panic"
)]

mod controllers {
    mod api;
    mod definitions;
    mod events;
    mod garbage;
    mod graphs;
    mod namespaces;
    mod pods;
    mod snapshots;
}
