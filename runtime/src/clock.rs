//! Wall clock that a test can set, as `PassiveClock` in `k8s.io/utils/clock`.
//!
//! Code that compares the times of objects with the current time reads it from a [`Clock`]. In a
//! controller, that is the clock of its manager, which `Context::now` of genclient-controller
//! reads. Timers are not part of it: they are those of tokio, and a test can pause them.
//!
//! ```
//! use std::time::Duration;
//!
//! use genclient::clock::{Clock, FakeClock, Timestamp};
//!
//! /// Returns whether a lease of 15 s that was renewed at `renewed` has expired.
//! fn is_expired(renewed: Timestamp, clock: &dyn Clock) -> bool {
//!     clock.now().duration_since(renewed).as_secs() >= 15
//! }
//!
//! let clock = FakeClock::new("2026-01-01T00:00:00Z".parse()?);
//! let renewed = clock.now();
//! clock.step(Duration::from_secs(14));
//! assert!(!is_expired(renewed, &clock));
//! clock.step(Duration::from_secs(1));
//! assert!(is_expired(renewed, &clock));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

pub use k8s_openapi::jiff::Timestamp;

use crate::sync::Mutex;

/// Source of the current time.
///
/// [`SystemClock`] is the one of a program. Tests have [`FakeClock`], and the `Clock` of
/// genclient-apiserver, which moves with tokio's time.
pub trait Clock: fmt::Debug + Send + Sync {
    /// Returns the current time.
    fn now(&self) -> Timestamp;
}

/// The clock of the system.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemClock;

/// Clock of a test. It stands still unless the test moves it. Clones show the same time.
#[derive(Clone, Debug)]
pub struct FakeClock {
    now: Arc<Mutex<Timestamp>>,
}

impl Clock for SystemClock {
    fn now(&self) -> Timestamp {
        Timestamp::now()
    }
}

impl Clock for FakeClock {
    fn now(&self) -> Timestamp {
        *self.now.lock()
    }
}

impl FakeClock {
    /// Returns a clock that shows `now`.
    #[must_use]
    pub fn new(now: Timestamp) -> Self {
        Self {
            now: Arc::new(Mutex::new(now)),
        }
    }

    /// Sets the time, which may be earlier than before.
    pub fn set(&self, now: Timestamp) {
        *self.now.lock() = now;
    }

    /// Moves the clock forward, at most to [`Timestamp::MAX`].
    pub fn step(&self, by: Duration) {
        let mut now = self.now.lock();
        *now = now.checked_add(by).unwrap_or(Timestamp::MAX);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clones_of_a_fake_clock_show_the_same_time() {
        let clock = FakeClock::new(Timestamp::UNIX_EPOCH);
        let shared = clock.clone();
        clock.step(Duration::from_millis(1500));
        assert_eq!(shared.now().as_millisecond(), 1500);
        shared.set(Timestamp::MIN);
        assert_eq!(clock.now(), Timestamp::MIN);
        clock.step(Duration::MAX);
        assert_eq!(shared.now(), Timestamp::MAX);
    }

    #[test]
    fn system_clock_shows_the_system_time() {
        let before = Timestamp::now();
        let now = SystemClock.now();
        assert!((before..=Timestamp::now()).contains(&now), "{now}");
    }
}
