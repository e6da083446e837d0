//! Integration tests of clients and informers, and model checking of their queues with loom.

#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test fails by panicking, and so do its helpers"
)]

mod applyconfiguration;
mod client;
mod conversion;
mod informer;
mod registry;
mod tracing;
mod workqueue;

/// Stands in for `crate::cache` in the sources that `registry` and `workqueue` include.
mod cache {
    pub(crate) use genclient::cache::ObjectName;
}

/// Stands in for `crate::metrics`.
mod metrics {
    pub(crate) use genclient::metrics::*;
}

/// Stands in for `crate::sync`: loom's locks with parking_lot's names.
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

#[path = "../../src/time.rs"]
mod time;
