//! Workers, producers and shutdown in every order that threads can do their parts in: the queue, compiled here with the model
//! checker's locks. A wake-up that gets lost, or a shutdown that leaves somebody waiting, is a deadlock that it reports.
//!
//! `LOOM_MAX_PREEMPTIONS` widens the search. Time does not pass here: delayed keys are tried on a paused clock, in `src`.

#![allow(
    clippy::unwrap_used,
    reason = "a test fails by panicking, and so do its helpers"
)]

/// What the sources below call `crate::metrics`.
mod metrics {
    pub(crate) use genclient::metrics::*;
}

/// What they call `crate::sync`, with parking_lot's names.
mod sync {
    pub(crate) struct Mutex<T>(loom::sync::Mutex<T>);

    impl<T> Mutex<T> {
        pub(crate) fn new(value: T) -> Self {
            Self(loom::sync::Mutex::new(value))
        }

        pub(crate) fn lock(&self) -> loom::sync::MutexGuard<'_, T> {
            self.0.lock().unwrap()
        }
    }
}

#[path = "../../src/time.rs"]
mod time;

#[allow(
    dead_code,
    reason = "users have all of it, these tests what threads race for"
)]
mod workqueue {
    #[path = "../../../src/workqueue/builder.rs"]
    mod builder;
    #[path = "../../../src/workqueue/delayed.rs"]
    mod delayed;
    #[path = "../../../src/workqueue/item.rs"]
    mod item;
    #[path = "../../../src/workqueue/meter.rs"]
    mod meter;
    #[path = "../../../src/workqueue/priority.rs"]
    mod priority;
    #[path = "../../../src/workqueue/queue.rs"]
    mod queue;
    #[path = "../../../src/workqueue/ready.rs"]
    mod ready;
    #[path = "../../../src/workqueue/shared.rs"]
    mod shared;
    #[path = "../../../src/workqueue/state.rs"]
    mod state;
    #[path = "../../../src/workqueue/waiters.rs"]
    mod waiters;

    mod models;

    pub use genclient::workqueue::{
        ItemExponentialFailureRateLimiter, RateLimiter, default_controller_rate_limiter,
    };
    pub use priority::{AddOpts, PriorityQueue};
    pub use queue::Queue;
}
