//! Model checking of the work queue with loom: workers, producers and shutdown in every
//! interleaving of threads. The queue is compiled here with loom's locks, which report a lost
//! wake-up or a shutdown that leaves a waiter as a deadlock.
//!
//! `LOOM_MAX_PREEMPTIONS` widens the search. Time does not pass here: delayed keys are tested on a
//! paused clock, in `src`.

#![allow(
    dead_code,
    reason = "users have all of it, these tests what threads race for"
)]

#[path = "../../../src/workqueue/metrics.rs"]
mod metrics;
#[path = "../../../src/workqueue/order.rs"]
mod order;
#[path = "../../../src/workqueue/queue.rs"]
mod queue;
#[path = "../../../src/workqueue/shared.rs"]
mod shared;
#[path = "../../../src/workqueue/state.rs"]
mod state;

mod models;

pub use genclient::workqueue::{
    ItemExponentialFailureRateLimiter, RateLimiter, default_controller_rate_limiter,
};
pub use queue::{AddOpts, PriorityQueue, Queue};
