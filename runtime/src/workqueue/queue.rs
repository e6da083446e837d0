//! The handles that users hold: a queue, its builder, and an item that a worker has.

use std::fmt;
use std::hash::{BuildHasher, Hash};
use std::ops::Deref;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use super::meter::Meter;
use super::shared::Shared;
use super::state::{Discipline, Phase};
use super::{
    ItemExponentialFailureRateLimiter, PriorityQueue, RateLimiter, default_controller_rate_limiter,
};
use crate::metrics::Provider;
use crate::time::FOR_EVER;

/// How often unfinished work is reported.
const UPDATE_PERIOD: Duration = Duration::from_millis(500);

/// A queue of keys for workers, with delays, rate limits and shutdown; see the [module](super) for what it guarantees.
///
/// A handle is cheap to clone, and every clone is the same queue. `T` is the name of an object as a rule, and so small; it
/// is cloned once for each worker that gets it.
pub struct Queue<T> {
    pub(super) shared: Arc<Shared<T>>,
}

/// What a [`Queue`] or a [`PriorityQueue`] is made with.
///
/// ```
/// use std::time::Duration;
/// use genclient::workqueue::{ItemExponentialFailureRateLimiter, Queue};
///
/// let limiter = ItemExponentialFailureRateLimiter::new(Duration::from_millis(1), Duration::from_secs(60));
/// let queue = Queue::builder().rate_limiter(limiter).build();
/// queue.add_rate_limited("default/train");
/// assert_eq!(queue.num_requeues(&"default/train"), 1);
/// ```
#[must_use = "a builder does nothing until `build`"]
pub struct Builder<T> {
    limiter: Option<Box<dyn RateLimiter<T>>>,
    metrics: Option<(String, Arc<dyn Provider>)>,
    update_period: Duration,
}

/// A key that a worker has; dropping it tells the queue that the worker is done.
///
/// It dereferences to the key. It is dropped on every way out, so a worker that panics or whose future is cancelled keeps no
/// key locked for ever, as a forgotten `Done` does in client-go. A worker that failed puts the key back itself, by
/// [`add_rate_limited`](Queue::add_rate_limited).
#[must_use = "dropping an item means that its worker is done with it"]
pub struct Item<T> {
    queue: Arc<Shared<T>>,
    slot: usize,
    key: T,
    priority: i32,
}

impl<T: Eq + Hash + Clone + Send + 'static> Queue<T> {
    /// An empty queue with the [default limiter of controllers](default_controller_rate_limiter) and no metrics.
    #[must_use]
    pub fn new() -> Self {
        Self::builder().build()
    }

    /// An empty queue with another rate limiter, or with metrics.
    pub fn builder() -> Builder<T> {
        Builder {
            limiter: None,
            metrics: None,
            update_period: UPDATE_PERIOD,
        }
    }

    /// Marks a key as in need of a worker.
    ///
    /// Does nothing if it waits for one already, and after shutdown.
    pub fn add(&self, key: T) {
        let hash = self.shared.hasher.hash_one(&key);
        self.shared.change(|state| state.add(hash, key, 0, None));
    }

    /// Adds a key once `delay` has passed. Of two delays for one key the one that ends earlier counts.
    ///
    /// A delay of zero is [`add`](Queue::add). A key that still waits for its time at shutdown is forgotten.
    pub fn add_after(&self, key: T, delay: Duration) {
        self.add_delayed(key, delay, 0);
    }

    pub(super) fn add_delayed(&self, key: T, delay: Duration, priority: i32) {
        let hash = self.shared.hasher.hash_one(&key);
        let due = (!delay.is_zero()).then(|| Instant::now() + delay.min(FOR_EVER));
        self.shared.change(|state| {
            // client-go's queue counts every delayed or rate limited add, controller-runtime's those that have to wait.
            let retry = due.is_some() || state.discipline == Discipline::Fifo;
            if let (true, Phase::Open, Some(meter)) = (retry, state.phase, state.meter()) {
                meter.retried();
            }
            state.add(hash, key, priority, due);
        });
    }

    /// Adds a key as soon as the rate limiter allows; what a worker calls that failed.
    pub fn add_rate_limited(&self, key: T) {
        let delay = self.shared.limits.when(&key);
        self.add_after(key, delay);
    }

    /// Tells the rate limiter that a key is not retried any more, so that its next failure waits the shortest time again.
    ///
    /// What a worker calls that succeeded, or that gave up; a limiter remembers every key that is not forgotten. The queue
    /// itself is not changed.
    pub fn forget(&self, key: &T) {
        self.shared.limits.forget(key);
    }

    /// How often a key was added rate limited since it was last forgotten.
    #[must_use]
    pub fn num_requeues(&self, key: &T) -> usize {
        self.shared.limits.num_requeues(key)
    }

    /// Waits for a key; `None` once the queue is shut down and has handed out everything.
    ///
    /// Those who have waited longest are woken first. Keys come in the order in which they were added.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: a key is taken from the queue only when the future returns it. A future that is dropped while it waits
    /// leaves its turn to another worker.
    ///
    /// # Panics
    ///
    /// Delayed keys need the timers of a tokio runtime, and metrics a task in it: outside of one this panics then.
    pub async fn get(&self) -> Option<Item<T>> {
        // A worker that never has to wait lets other tasks run now and then.
        tokio::task::coop::consume_budget().await;
        self.shared.start_updates();
        let handed = self.shared.take().await?;
        Some(Item {
            queue: Arc::clone(&self.shared),
            slot: handed.slot,
            key: handed.key,
            priority: handed.priority,
        })
    }

    /// How many keys wait for a worker. A key that waits for its time, or that a worker has, is not counted.
    ///
    /// For information: it may have changed when it is read.
    #[must_use]
    pub fn len(&self) -> usize {
        self.shared.change(|state| state.len())
    }

    /// Whether [`len`](Queue::len) is zero.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Refuses keys from now on: workers get what is left, then `None`. Keys that wait for their time are forgotten.
    ///
    /// It also ends every [`shut_down_with_drain`](Queue::shut_down_with_drain) that is under way: what a program does on
    /// its second signal.
    pub fn shut_down(&self) {
        self.shared.close(Phase::Closed);
    }

    /// Does the same, and waits until the workers have got everything that is left and are done with it.
    ///
    /// This waits for the queued keys, too; client-go's `ShutDownWithDrain` returns early if no worker has a key at that
    /// moment. It needs workers that get keys, and is not for a worker that has one.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: once polled, the queue is shut down; a dropped future just does not wait for the end.
    pub async fn shut_down_with_drain(&self) {
        let shut_downs = self.shared.close(Phase::Draining);
        self.shared.drained(shut_downs).await;
    }

    /// Whether one of the two was called.
    #[must_use]
    pub fn is_shutting_down(&self) -> bool {
        self.shared.change(|state| state.phase != Phase::Open)
    }
}

impl<T: Eq + Hash + Clone + Send + 'static> Builder<T> {
    /// What decides about the delay of [`add_rate_limited`](Queue::add_rate_limited).
    pub fn rate_limiter(mut self, limiter: impl RateLimiter<T> + 'static) -> Self {
        self.limiter = Some(Box::new(limiter));
        self
    }

    /// Measures the queue under a name: the metrics `workqueue_…` of [`metrics`](crate::metrics). Not measured by default,
    /// nor under an empty name.
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

    #[cfg(test)]
    pub(super) fn update_period(mut self, period: Duration) -> Self {
        self.update_period = period;
        self
    }

    /// The queue; with the [default limiter of controllers](default_controller_rate_limiter), if there is no other.
    #[must_use]
    pub fn build(self) -> Queue<T> {
        self.queue(Discipline::Fifo, || {
            Box::new(default_controller_rate_limiter())
        })
    }

    /// The queue, with priorities; with a limiter of 5 ms × 2ⁿ up to 1000 s for each key, if there is no other.
    #[must_use]
    pub fn build_priority_queue(self) -> PriorityQueue<T> {
        let (base, max) = (Duration::from_millis(5), Duration::from_secs(1000));
        PriorityQueue(self.queue(Discipline::Priority, || {
            Box::new(ItemExponentialFailureRateLimiter::new(base, max))
        }))
    }

    fn queue(
        self,
        discipline: Discipline,
        default_limiter: impl FnOnce() -> Box<dyn RateLimiter<T>>,
    ) -> Queue<T> {
        let limiter = self.limiter.unwrap_or_else(default_limiter);
        let meter = self
            .metrics
            .map(|(name, provider)| Meter::new(&name, provider, discipline));
        Queue {
            shared: Arc::new(Shared::new(discipline, limiter, meter, self.update_period)),
        }
    }
}

impl<T> Item<T> {
    /// The priority with which the key came: what a worker adds it again with. Zero unless it is of a [`PriorityQueue`].
    #[must_use]
    pub fn priority(&self) -> i32 {
        self.priority
    }
}

impl<T> Clone for Queue<T> {
    fn clone(&self) -> Self {
        Self {
            shared: Arc::clone(&self.shared),
        }
    }
}

impl<T: Eq + Hash + Clone + Send + 'static> Default for Queue<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T: Eq + Hash + Clone + Send + 'static> fmt::Debug for Queue<T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Queue")
            .field("len", &self.len())
            .finish_non_exhaustive()
    }
}

impl<T> fmt::Debug for Builder<T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Builder").finish_non_exhaustive()
    }
}

impl<T> Deref for Item<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.key
    }
}

impl<T: fmt::Debug> fmt::Debug for Item<T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("Item").field(&self.key).finish()
    }
}

impl<T> Drop for Item<T> {
    fn drop(&mut self) {
        self.queue.done(self.slot);
    }
}
