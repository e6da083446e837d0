//! The rate limiter of a queue behind a lock of its own.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use super::RateLimiter;
use crate::sync::Mutex;

/// Limiters are asked outside of the lock of the state, one caller at a time.
pub(super) struct Limits<T> {
    limiter: Mutex<Box<dyn RateLimiter<T>>>,
    /// What the limiter said last of having nothing to forget. Most keys never fail, and forgetting those needs no lock.
    is_idle: AtomicBool,
}

impl<T> Limits<T> {
    pub(super) fn new(limiter: Box<dyn RateLimiter<T>>) -> Self {
        Self {
            is_idle: AtomicBool::new(limiter.is_idle()),
            limiter: Mutex::new(limiter),
        }
    }

    pub(super) fn when(&self, key: &T) -> Duration {
        let mut limiter = self.limiter.lock();
        let delay = limiter.when(key);
        self.is_idle.store(limiter.is_idle(), Ordering::Release);
        delay
    }

    pub(super) fn forget(&self, key: &T) {
        // Whoever knows of a failure of the key, knows of what was stored after it.
        if self.is_idle.load(Ordering::Acquire) {
            return;
        }
        let mut limiter = self.limiter.lock();
        limiter.forget(key);
        self.is_idle.store(limiter.is_idle(), Ordering::Release);
    }

    pub(super) fn num_requeues(&self, key: &T) -> usize {
        self.limiter.lock().num_requeues(key)
    }
}
