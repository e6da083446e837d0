//! Queue settings: [`QueueBuilder`].

use std::fmt;
use std::hash::Hash;
use std::sync::Arc;

use super::meter::QueueMeter;
use super::order::Discipline;
use super::queue::Queue;
use super::shared::SharedQueue;
use super::{RateLimiter, default_controller_rate_limiter};
use crate::metrics::Provider;

/// Settings of a [`Queue`] or a [`PriorityQueue`](super::PriorityQueue).
///
/// ```
/// use std::time::Duration;
/// use genclient::workqueue::{ItemExponentialFailureRateLimiter, Queue};
///
/// let (base, max) = (Duration::from_millis(1), Duration::from_secs(60));
/// let limiter = ItemExponentialFailureRateLimiter::new(base, max);
/// let queue = Queue::builder().rate_limiter(limiter).build();
/// queue.add_rate_limited("default/train");
/// assert_eq!(queue.num_requeues(&"default/train"), 1);
/// ```
#[must_use = "a builder does nothing until `build` is called"]
pub struct QueueBuilder<T> {
    limiter: Option<Box<dyn RateLimiter<T>>>,
    oldest_every: Option<u32>,
    metrics: Option<(String, Arc<dyn Provider>)>,
}

impl<T: Eq + Hash + Clone + Send + 'static> Queue<T> {
    /// Returns an empty queue with the [default rate limiter](default_controller_rate_limiter) and
    /// without metrics.
    #[must_use]
    pub fn new() -> Self {
        Self::builder().build()
    }

    /// Returns a builder, for another rate limiter or for metrics.
    pub fn builder() -> QueueBuilder<T> {
        QueueBuilder {
            limiter: None,
            oldest_every: None,
            metrics: None,
        }
    }
}

impl<T: Eq + Hash + Clone + Send + 'static> QueueBuilder<T> {
    /// Sets the rate limiter of [`add_rate_limited`](Queue::add_rate_limited). Default:
    /// [`default_controller_rate_limiter`]; for a priority queue, 5 ms × 2ⁿ after n earlier
    /// failures of the key, up to 1000 s.
    pub fn rate_limiter(mut self, limiter: impl RateLimiter<T> + 'static) -> Self {
        self.limiter = Some(Box::new(limiter));
        self
    }

    /// Sets how often a [`PriorityQueue`](super::PriorityQueue) ignores priorities: every `keys`-th
    /// key that is handed out is the oldest one in the queue. So keys of low priority do not
    /// starve. Default: never, as in controller-runtime, where such keys may wait forever
    /// (controller-runtime#3496).
    ///
    /// ```
    /// use genclient::workqueue::{AddOpts, LOW_PRIORITY, PriorityQueue};
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() {
    /// let queue = PriorityQueue::builder().oldest_every(2).build_priority_queue();
    /// let low = AddOpts { priority: LOW_PRIORITY, ..AddOpts::default() };
    /// queue.add_with_opts(low, ["low"]);
    /// queue.add("one");
    /// queue.add("two");
    ///
    /// let mut order = Vec::new();
    /// for _ in 0..3 {
    ///     order.push(*queue.get().await.expect("the queue is open"));
    /// }
    /// assert_eq!(order, ["one", "low", "two"]);
    /// # }
    /// ```
    pub fn oldest_every(mut self, keys: u32) -> Self {
        self.oldest_every = Some(keys);
        self
    }

    /// Enables the metrics `workqueue_…` of [`metrics`](crate::metrics), labelled with `name`. An
    /// empty name disables them. Default: no metrics.
    ///
    /// ```
    /// use std::sync::Arc;
    ///
    /// use genclient::metrics::{NoMetrics, Provider};
    /// use genclient::workqueue::Queue;
    ///
    /// // In a program, a `genclient::metrics::prometheus::Registry` that it also serves.
    /// let provider: Arc<dyn Provider> = Arc::new(NoMetrics);
    /// let queue = Queue::builder().metrics("tasks", provider).build();
    /// queue.add("default/train");
    /// ```
    pub fn metrics(mut self, name: impl Into<String>, provider: Arc<dyn Provider>) -> Self {
        let name = name.into();
        self.metrics = (!name.is_empty()).then_some((name, provider));
        self
    }

    /// Builds a queue that hands out keys in the order in which they were added.
    #[must_use]
    pub fn build(self) -> Queue<T> {
        self.queue(Discipline::Fifo, || {
            Box::new(default_controller_rate_limiter())
        })
    }

    pub(super) fn queue(
        self,
        discipline: Discipline,
        default_limiter: impl FnOnce() -> Box<dyn RateLimiter<T>>,
    ) -> Queue<T> {
        let limiter = self.limiter.unwrap_or_else(default_limiter);
        let meter = self
            .metrics
            .map(|(name, provider)| QueueMeter::new(name, provider, discipline));
        Queue {
            shared: Arc::new(SharedQueue::new(
                discipline,
                self.oldest_every,
                limiter,
                meter,
            )),
        }
    }
}

impl<T> fmt::Debug for QueueBuilder<T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("QueueBuilder")
            .finish_non_exhaustive()
    }
}

impl<T: Eq + Hash + Clone + Send + 'static> Default for Queue<T> {
    fn default() -> Self {
        Self::new()
    }
}
