//! Model checking of the handler registry with loom: handlers are added, removed and notified in
//! every interleaving of threads. The registry and the queues of the informer are compiled here
//! with loom's locks.
//!
//! `LOOM_MAX_PREEMPTIONS` widens the search beyond five preemptions, which take about a second.

#![allow(
    clippy::unwrap_used,
    reason = "a test fails by panicking, and so do its helpers"
)]

/// Stands in for `crate::cache` in the included sources.
mod cache {
    pub(crate) use genclient::cache::ObjectName;
}

/// Stands in for `crate::metrics`.
mod metrics {
    pub(crate) use genclient::metrics::Gauge;
}

/// Stands in for `crate::sync`, with parking_lot's names.
mod sync {
    pub(crate) type MutexGuard<'a, T> = loom::sync::MutexGuard<'a, T>;

    pub(crate) struct Mutex<T>(loom::sync::Mutex<T>);

    impl<T> Mutex<T> {
        pub(crate) fn new(value: T) -> Self {
            Self(loom::sync::Mutex::new(value))
        }

        pub(crate) fn lock(&self) -> MutexGuard<'_, T> {
            self.0.lock().unwrap()
        }
    }
}

#[allow(
    dead_code,
    reason = "the informer uses all of it, these tests what threads race for"
)]
mod informer {
    #[path = "../../../src/informer/backlog.rs"]
    pub(crate) mod backlog;
    #[path = "../../../src/informer/event.rs"]
    mod event;
    #[path = "../../../src/informer/queue.rs"]
    mod queue;

    mod models;
}
