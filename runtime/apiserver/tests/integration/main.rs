//! Integration tests. Most compare responses with those of kube-apiserver, which are recorded in
//! the folders beside this one.

#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test fails by panicking, and so do its helpers"
)]

mod admission;
mod authorization;
mod controllers;
mod conversion;
mod deadlines;
mod dialogues;
mod discovery;
mod eventually;
mod faults;
mod fuzz;
mod kinds;
mod patches;
mod plugins;
mod program;
mod protobuf;
mod request_log;
mod server;
mod tables;
mod warnings;
