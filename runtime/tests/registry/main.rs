//! Handlers that come, go and are told at the same time, in every order that threads can do that in: the registry and the queues of
//! the informer, compiled here with the model checker's locks.
//!
//! `LOOM_MAX_PREEMPTIONS` widens the search beyond five switches of threads that nothing asked for, which take about a second.

#![allow(
    clippy::unwrap_used,
    reason = "a test fails by panicking, and so do its helpers"
)]

/// What the sources below call `crate::cache`.
mod cache {
    pub(crate) use genclient::cache::ObjectName;
}

/// What they call `crate::metrics`.
mod metrics {
    pub(crate) use genclient::metrics::Gauge;
}

/// What they call `crate::sync`, with parking_lot's names.
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
    #[path = "../../../src/informer/pending.rs"]
    mod pending;
    #[path = "../../../src/informer/queue.rs"]
    mod queue;
    #[path = "../../../src/informer/registry.rs"]
    mod registry;

    mod models;
}
