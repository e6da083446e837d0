//! Rate limiters: delays before failed keys are retried.

use std::hash::Hash;
use std::time::Duration;

use hashbrown::HashMap;
use tokio::time::Instant;

/// Rate limiter for retries of keys: client-go's `TypedRateLimiter`.
///
/// A [`Queue`](super::Queue) locks its limiter for each call, so a limiter needs no lock.
pub trait RateLimiter<T>: Send {
    /// Counts a failure of `key` and returns the delay before its retry.
    fn when(&mut self, key: &T) -> Duration;

    /// Stops tracking `key`, after it succeeded or was given up.
    fn forget(&mut self, key: &T);

    /// Returns the number of failures of `key` since it was last forgotten.
    fn num_requeues(&self, key: &T) -> usize;
}

/// Returns the default rate limiter of controllers: client-go's
/// `DefaultTypedControllerRateLimiter`. The limiter uses the longer of two delays. One is the
/// backoff of the key: 5 ms × 2ⁿ after n earlier failures, up to 1000 s. The other is the wait for
/// a token. All keys share one bucket, which holds 100 tokens and gets 10 new ones per second.
#[must_use]
pub fn default_controller_rate_limiter<T: Eq + Hash + Clone + Send + 'static>()
-> MaxOfRateLimiter<T> {
    MaxOfRateLimiter::new([
        Box::new(ItemExponentialFailureRateLimiter::new(
            Duration::from_millis(5),
            Duration::from_secs(1000),
        )) as _,
        Box::new(BucketRateLimiter::new(10.0, 100)) as _,
    ])
}

/// Exponential backoff for each key: `base` × 2ⁿ after n earlier failures, up to `max`.
#[derive(Clone, Debug)]
pub struct ItemExponentialFailureRateLimiter<T> {
    base: Duration,
    max: Duration,
    failures: FailureCounts<T>,
}

impl<T> ItemExponentialFailureRateLimiter<T> {
    /// Returns a limiter without failures.
    #[must_use]
    pub fn new(base: Duration, max: Duration) -> Self {
        Self {
            base,
            max,
            failures: FailureCounts::new(),
        }
    }
}

impl<T: Eq + Hash + Clone + Send> RateLimiter<T> for ItemExponentialFailureRateLimiter<T> {
    fn when(&mut self, key: &T) -> Duration {
        // Limits n so that the power stays finite. Otherwise a base of zero would be multiplied by
        // infinity, and the delay would be `max` instead of zero.
        let failures = self.failures.count(key).min(1000);
        let delay = self.base.as_secs_f64() * 2f64.powi(failures as i32);
        Duration::try_from_secs_f64(delay).map_or(self.max, |delay| delay.min(self.max))
    }

    fn forget(&mut self, key: &T) {
        self.failures.forget(key);
    }

    fn num_requeues(&self, key: &T) -> usize {
        self.failures.of(key)
    }
}

/// Two delays for each key: `fast` for the first `max_fast_attempts` failures, then `slow`.
#[derive(Clone, Debug)]
pub struct ItemFastSlowRateLimiter<T> {
    fast: Duration,
    slow: Duration,
    max_fast_attempts: usize,
    failures: FailureCounts<T>,
}

impl<T> ItemFastSlowRateLimiter<T> {
    /// Returns a limiter without failures.
    #[must_use]
    pub fn new(fast: Duration, slow: Duration, max_fast_attempts: usize) -> Self {
        Self {
            fast,
            slow,
            max_fast_attempts,
            failures: FailureCounts::new(),
        }
    }
}

impl<T: Eq + Hash + Clone + Send> RateLimiter<T> for ItemFastSlowRateLimiter<T> {
    fn when(&mut self, key: &T) -> Duration {
        if self.failures.count(key) < self.max_fast_attempts {
            self.fast
        } else {
            self.slow
        }
    }

    fn forget(&mut self, key: &T) {
        self.failures.forget(key);
    }

    fn num_requeues(&self, key: &T) -> usize {
        self.failures.of(key)
    }
}

/// Token bucket for all keys: a burst of `burst` retries, then `per_second` retries per second.
///
/// As in Go's `rate.Limiter`, a retry without a token reserves the next future token, so retries
/// get tokens in order.
#[derive(Clone, Debug)]
pub struct BucketRateLimiter {
    per_second: f64,
    burst: f64,
    /// Number of tokens; negative if future tokens are reserved.
    tokens: f64,
    filled_at: Option<Instant>,
}

impl BucketRateLimiter {
    /// Returns a full bucket. If `per_second` is zero or negative, it gets no new tokens.
    #[must_use]
    pub fn new(per_second: f64, burst: u32) -> Self {
        let burst = f64::from(burst);
        Self {
            per_second: per_second.max(0.0),
            burst,
            tokens: burst,
            filled_at: None,
        }
    }

    fn reserve(&mut self, now: Instant) -> Duration {
        let passed = self
            .filled_at
            .map(|filled| now - filled)
            .unwrap_or_default();
        self.filled_at = Some(now);
        self.tokens = (self.tokens + passed.as_secs_f64() * self.per_second).min(self.burst) - 1.0;
        if self.tokens >= 0.0 {
            return Duration::ZERO;
        }
        Duration::try_from_secs_f64(-self.tokens / self.per_second).unwrap_or(Duration::MAX)
    }
}

impl<T> RateLimiter<T> for BucketRateLimiter {
    fn when(&mut self, _key: &T) -> Duration {
        self.reserve(Instant::now())
    }

    fn forget(&mut self, _key: &T) {}

    fn num_requeues(&self, _key: &T) -> usize {
        0
    }
}

/// Combination of several limiters: the longest delay and the highest number of failures.
pub struct MaxOfRateLimiter<T> {
    limiters: Vec<Box<dyn RateLimiter<T>>>,
}

impl<T> MaxOfRateLimiter<T> {
    /// Returns a limiter that combines `limiters`.
    pub fn new(limiters: impl IntoIterator<Item = Box<dyn RateLimiter<T>>>) -> Self {
        Self {
            limiters: limiters.into_iter().collect(),
        }
    }
}

impl<T> RateLimiter<T> for MaxOfRateLimiter<T> {
    fn when(&mut self, key: &T) -> Duration {
        self.limiters
            .iter_mut()
            .map(|limiter| limiter.when(key))
            .max()
            .unwrap_or_default()
    }

    fn forget(&mut self, key: &T) {
        self.limiters
            .iter_mut()
            .for_each(|limiter| limiter.forget(key));
    }

    fn num_requeues(&self, key: &T) -> usize {
        self.limiters
            .iter()
            .map(|limiter| limiter.num_requeues(key))
            .max()
            .unwrap_or_default()
    }
}

impl<T> std::fmt::Debug for MaxOfRateLimiter<T> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("MaxOfRateLimiter")
            .field("limiters", &self.limiters.len())
            .finish()
    }
}

/// Limiter with a maximum: the delay of another limiter, up to `max`.
#[derive(Clone, Debug)]
pub struct WithMaxWaitRateLimiter<L> {
    limiter: L,
    max: Duration,
}

impl<L> WithMaxWaitRateLimiter<L> {
    /// Returns a limiter with the delays of `limiter`, up to `max`.
    #[must_use]
    pub fn new(limiter: L, max: Duration) -> Self {
        Self { limiter, max }
    }
}

impl<T, L: RateLimiter<T>> RateLimiter<T> for WithMaxWaitRateLimiter<L> {
    fn when(&mut self, key: &T) -> Duration {
        self.limiter.when(key).min(self.max)
    }

    fn forget(&mut self, key: &T) {
        self.limiter.forget(key);
    }

    fn num_requeues(&self, key: &T) -> usize {
        self.limiter.num_requeues(key)
    }
}

#[derive(Clone, Debug)]
struct FailureCounts<T>(HashMap<T, usize>);

impl<T> FailureCounts<T> {
    fn new() -> Self {
        Self(HashMap::new())
    }
}

impl<T: Eq + Hash + Clone> FailureCounts<T> {
    /// Counts a failure of `key` and returns the number of its earlier failures.
    fn count(&mut self, key: &T) -> usize {
        match self.0.get_mut(key) {
            Some(failures) => {
                *failures += 1;
                *failures - 1
            }
            None => {
                self.0.insert(key.clone(), 1);
                0
            }
        }
    }

    fn forget(&mut self, key: &T) {
        self.0.remove(key);
    }

    fn of(&self, key: &T) -> usize {
        self.0.get(key).copied().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests;
