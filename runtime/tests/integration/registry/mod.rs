//! Model checking of the handler registry with loom: handlers are added, removed and notified in
//! every interleaving of threads. The registry and the queues of the informer are compiled here
//! with loom's locks.
//!
//! `LOOM_MAX_PREEMPTIONS` widens the search beyond five preemptions, which take about a second.

#![allow(
    dead_code,
    reason = "the informer uses all of it, these tests what threads race for"
)]

#[path = "../../../src/informer/event.rs"]
mod event;
#[path = "../../../src/informer/processor.rs"]
mod processor;

mod models;
