//! Handles of a work queue: [`Queue`] and [`PriorityQueue`], their builder, and [`Item`], the guard
//! that marks a key as done when it is dropped.

use std::fmt;
use std::hash::{BuildHasher, Hash};
use std::ops::Deref;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use super::metrics::QueueMetrics;
use super::order::Discipline;
use super::shared::SharedQueue;
use super::state::Phase;
use super::{ItemExponentialFailureRateLimiter, RateLimiter, default_controller_rate_limiter};
use crate::metrics::Provider;
use crate::time::FOR_EVER;

/// Low priority, for objects of the initial list and for resyncs.
pub const LOW_PRIORITY: i32 = -100;

/// Work queue of keys with delays, a rate limiter and shutdown. The [module](super) documents its
/// guarantees.
///
/// It is cheap to clone, and all clones share the same keys. `T` is usually the name of an object.
/// A key is cloned each time it is handed out, so `T` should be cheap to clone, too.
pub struct Queue<T> {
    pub(super) shared: Arc<SharedQueue<T>>,
}

/// Key that a worker is processing. The key is done when its item is dropped: client-go's `Done`.
///
/// An item dereferences to its key and displays as its key. If the worker panics or its future is
/// dropped, the item is dropped as well. So no key stays blocked, unlike after a missing `Done` in
/// client-go. After a failure, the worker requeues the key by
/// [`add_rate_limited`](super::Queue::add_rate_limited).
#[must_use = "dropping an item marks it as done"]
pub struct Item<T> {
    queue: Arc<SharedQueue<T>>,
    slot: usize,
    key: T,
    priority: i32,
}

/// A [`Queue`] that hands out keys of a higher priority first: controller-runtime's
/// `priorityqueue`.
///
/// It dereferences to a [`Queue`]. The queue's own methods, such as [`add`](Queue::add), add keys
/// with priority 0. [`Item::priority`](super::Item::priority) returns the priority of a key that
/// was handed out.
///
/// # Guarantees
///
/// - **One at a time**, as for every queue.
/// - **A key is queued once.** If it is added again before it is handed out, the higher priority
///   and the shorter delay apply. So a delayed key that is added directly is handed out now and
///   *not* again when it is due, unlike in a [`Queue`].
/// - **Fair within a priority**: keys of one priority are handed out in the order in which they
///   were added or became due. If the priority of a key is raised, the key becomes the last one of
///   its new priority.
/// - [`len`](Queue::len) counts the keys that are ready, and those that were added again while a
///   worker processes them.
///
/// After shutdown, workers get the remaining keys, as with a [`Queue`]. In controller-runtime,
/// these keys are dropped.
///
/// ```
/// use genclient::workqueue::{AddOpts, LOW_PRIORITY, PriorityQueue};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// let queue = PriorityQueue::new();
/// let listed = AddOpts { priority: LOW_PRIORITY, ..AddOpts::default() };
/// queue.add_with_opts(listed, ["default/old", "default/older"]);
/// queue.add("default/changed");
///
/// let first = queue.get().await.expect("the queue is open");
/// assert_eq!((*first, first.priority()), ("default/changed", 0));
/// # }
/// ```
pub struct PriorityQueue<T>(Queue<T>);

/// Options for adding keys to a [`PriorityQueue`]. By default, keys are added without delay and
/// with priority 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AddOpts {
    /// Delay before the keys are handed out.
    pub after: Duration,
    /// Whether to use the delay of the rate limiter. If `after` is not zero, the shorter of both
    /// delays is used.
    pub rate_limited: bool,
    /// Priority of the keys.
    pub priority: i32,
}

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

// === impl Queue ===

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

    /// Adds a key to be processed.
    ///
    /// Does nothing after shutdown, or if the key already waits for a worker. In a
    /// [`PriorityQueue`](super::PriorityQueue), a waiting key with a negative priority gets
    /// priority 0.
    pub fn add(&self, key: T) {
        let hash = self.shared.hasher.hash_one(&key);
        self.shared.change(|state| state.add(hash, key, 0, None));
    }

    /// Adds a key after `delay`. If the key is already delayed, the earlier due time is kept.
    ///
    /// A zero delay is the same as [`add`](Queue::add). Keys that are not due at shutdown are
    /// dropped.
    pub fn add_after(&self, key: T, delay: Duration) {
        self.add_delayed(key, delay, 0);
    }

    fn add_delayed(&self, key: T, delay: Duration, priority: i32) {
        let hash = self.shared.hasher.hash_one(&key);
        let due = (!delay.is_zero()).then(|| Instant::now() + delay.min(FOR_EVER));
        self.shared.change(|state| {
            // client-go's retries metric counts every delayed or rate limited add, even with a
            // delay of zero. controller-runtime's metric counts only those with a delay.
            let retry = due.is_some() || state.discipline == Discipline::Fifo;
            if let (true, Phase::Open, Some(metrics)) = (retry, state.phase, &state.metrics) {
                metrics.retried();
            }
            state.add(hash, key, priority, due)
        });
    }

    /// Adds a key after the delay that the rate limiter returns for it. Workers call it after a
    /// failure.
    pub fn add_rate_limited(&self, key: T) {
        let delay = self.shared.limiter.lock().when(&key);
        self.add_after(key, delay);
    }

    /// Resets the rate limiter for a key, so that the delay after its next failure is the shortest
    /// one.
    ///
    /// Workers call it after success, or when they give up. Until then, the rate limiter tracks the
    /// key. The queue does not change.
    pub fn forget(&self, key: &T) {
        self.shared.limiter.lock().forget(key);
    }

    /// Returns how often a key was added with a rate limit since it was last forgotten.
    #[must_use]
    pub fn num_requeues(&self, key: &T) -> usize {
        self.shared.limiter.lock().num_requeues(key)
    }

    /// Waits for a key. Returns `None` once the queue is shut down and empty.
    ///
    /// The worker that has waited longest is woken first.
    ///
    /// # Cancel safety
    ///
    /// A key leaves the queue only when the future returns it. If a waiting future is dropped,
    /// another worker takes its turn.
    ///
    /// A future must be polled or dropped soon after it was woken. Until then, no other waiting
    /// worker is woken for the key; only a new call of `get` can take it. So `select!` must not
    /// poll the future by `&mut` and then run another branch for long.
    ///
    /// # Panics
    ///
    /// Outside of a Tokio runtime, if there are delayed keys, which need a timer, or metrics, which
    /// need a task.
    pub async fn get(&self) -> Option<Item<T>> {
        // Yields to other tasks now and then, even if the worker never has to wait for a key.
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

    /// Returns the number of keys that wait for a worker, without delayed keys and keys in
    /// processing.
    ///
    /// The number may have changed when the call returns.
    #[must_use]
    pub fn len(&self) -> usize {
        self.shared.change(|state| state.len())
    }

    /// Whether [`len`](Queue::len) is zero.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Shuts down the queue: new keys are rejected, and delayed keys are dropped. Workers get the
    /// remaining keys, then `None`.
    ///
    /// Calls of [`shutdown_with_drain`](Queue::shutdown_with_drain) that still wait return at once.
    /// So a program can give up a drain that takes too long.
    pub fn shutdown(&self) {
        self.shared.close(Phase::Closed);
    }

    /// Shuts down the queue like [`shutdown`](Queue::shutdown), and waits until workers have
    /// processed all remaining keys.
    ///
    /// Workers must be running, and a worker must not call this method while it has an item.
    /// client-go's `ShutDownWithDrain` differs: if no key is in processing, it does not wait for
    /// queued keys.
    ///
    /// # Cancel safety
    ///
    /// The queue is shut down at the first poll. Dropping the future only ends the wait.
    pub async fn shutdown_with_drain(&self) {
        let shut_downs = self.shared.close(Phase::Draining);
        self.shared.drained(shut_downs).await;
    }

    /// Whether [`shutdown`](Queue::shutdown) or [`shutdown_with_drain`](Queue::shutdown_with_drain)
    /// was called.
    #[must_use]
    pub fn is_shutting_down(&self) -> bool {
        self.shared.change(|state| state.phase != Phase::Open)
    }
}

impl<T> Clone for Queue<T> {
    fn clone(&self) -> Self {
        Self {
            shared: Arc::clone(&self.shared),
        }
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

impl<T: Eq + Hash + Clone + Send + 'static> Default for Queue<T> {
    fn default() -> Self {
        Self::new()
    }
}

// === impl PriorityQueue ===

impl<T: Eq + Hash + Clone + Send + 'static> PriorityQueue<T> {
    /// Returns an empty queue without metrics. Its rate limiter delays a key by 5 ms × 2ⁿ after n
    /// earlier failures, up to 1000 s.
    #[must_use]
    pub fn new() -> Self {
        Self::builder().build_priority_queue()
    }

    /// Returns a builder, for another rate limiter, metrics or
    /// [`oldest_every`](QueueBuilder::oldest_every). Finish it with
    /// [`build_priority_queue`](QueueBuilder::build_priority_queue).
    pub fn builder() -> QueueBuilder<T> {
        Queue::builder()
    }

    /// Adds keys with the options `opts`.
    pub fn add_with_opts(&self, opts: AddOpts, keys: impl IntoIterator<Item = T>) {
        self.0.shared.measure_priority(opts.priority);
        for key in keys {
            let mut delay = opts.after;
            if opts.rate_limited {
                let allowed = self.0.shared.limiter.lock().when(&key);
                if delay.is_zero() || allowed < delay {
                    delay = allowed;
                }
            }
            self.0.add_delayed(key, delay, opts.priority);
        }
    }
}

impl<T> Deref for PriorityQueue<T> {
    type Target = Queue<T>;

    fn deref(&self) -> &Queue<T> {
        &self.0
    }
}

impl<T> Clone for PriorityQueue<T> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<T: Eq + Hash + Clone + Send + 'static> Default for PriorityQueue<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T: Eq + Hash + Clone + Send + 'static> fmt::Debug for PriorityQueue<T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("PriorityQueue")
            .field("len", &self.len())
            .finish_non_exhaustive()
    }
}

// === impl QueueBuilder ===

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

    /// Builds a queue with priorities. The default rate limiter delays a key by 5 ms × 2ⁿ after n
    /// earlier failures, up to 1000 s.
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
        let metrics = self
            .metrics
            .map(|(name, provider)| QueueMetrics::new(name, provider, discipline));
        Queue {
            shared: Arc::new(SharedQueue::new(
                discipline,
                self.oldest_every,
                limiter,
                metrics,
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

// === impl Item ===

impl<T> Item<T> {
    /// Returns the priority of the key, so that it can be requeued with the same priority. It is 0
    /// unless the queue is a [`PriorityQueue`](super::PriorityQueue).
    #[must_use]
    pub fn priority(&self) -> i32 {
        self.priority
    }
}

impl<T> Deref for Item<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.key
    }
}

impl<T: fmt::Display> fmt::Display for Item<T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.key.fmt(formatter)
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
