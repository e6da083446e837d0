//! Queue handle and the guard of a key in processing: [`Queue`], [`Item`].

use std::fmt;
use std::hash::{BuildHasher, Hash};
use std::ops::Deref;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use super::order::Discipline;
use super::shared::SharedQueue;
use super::state::Phase;
use crate::time::FOR_EVER;

/// A work queue of keys with delays, rate limits and shutdown; see the [module](super) for its
/// guarantees.
///
/// A handle is cheap to clone, and all clones share the queue. `T` is usually the name of an
/// object. A key is cloned each time it is handed out, so `T` should be small.
pub struct Queue<T> {
    pub(super) shared: Arc<SharedQueue<T>>,
}

/// A key that a worker is processing. Dropping it is client-go's `Done`.
///
/// It dereferences to the key and displays as the key. It is also dropped if the worker panics or
/// its future is dropped, so a key cannot stay locked as after a missing `Done` in client-go. After
/// a failure, the worker requeues the key with
/// [`add_rate_limited`](super::Queue::add_rate_limited).
#[must_use = "dropping an item marks it as done"]
pub struct Item<T> {
    pub(super) queue: Arc<SharedQueue<T>>,
    pub(super) slot: usize,
    pub(super) key: T,
    pub(super) priority: i32,
}

// === impl Queue ===

impl<T: Eq + Hash + Clone + Send + 'static> Queue<T> {
    /// Marks a key as needing processing.
    ///
    /// Does nothing if the key is queued already, or after shutdown.
    pub fn add(&self, key: T) {
        let hash = self.shared.hasher.hash_one(&key);
        self.shared.change(|state| state.add(hash, key, 0, None));
    }

    /// Adds a key after `delay`. If the key is delayed already, the earlier due time wins.
    ///
    /// A delay of zero is [`add`](Queue::add). A key that is not yet due at shutdown is dropped.
    pub fn add_after(&self, key: T, delay: Duration) {
        self.add_delayed(key, delay, 0);
    }

    pub(super) fn add_delayed(&self, key: T, delay: Duration, priority: i32) {
        let hash = self.shared.hasher.hash_one(&key);
        let due = (!delay.is_zero()).then(|| Instant::now() + delay.min(FOR_EVER));
        self.shared.change(|state| {
            // The retries metric: client-go's queue counts every delayed or rate limited add,
            // controller-runtime's only those with a delay.
            let retry = due.is_some() || state.discipline == Discipline::Fifo;
            if let (true, Phase::Open, Some(meter)) = (retry, state.phase, &state.meter) {
                meter.retried();
            }
            state.add(hash, key, priority, due)
        });
    }

    /// Adds a key after the delay of the rate limiter. Workers call it after a failure.
    pub fn add_rate_limited(&self, key: T) {
        let delay = self.shared.limiter.lock().when(&key);
        self.add_after(key, delay);
    }

    /// Resets the rate limiter for a key, so that its next failure has the shortest delay again.
    ///
    /// Workers call it after success, or when they give up. A limiter tracks a failed key until it
    /// is forgotten. The queue itself does not change.
    pub fn forget(&self, key: &T) {
        self.shared.limiter.lock().forget(key);
    }

    /// Returns how often a key was added rate limited since it was last forgotten.
    #[must_use]
    pub fn num_requeues(&self, key: &T) -> usize {
        self.shared.limiter.lock().num_requeues(key)
    }

    /// Waits for a key. Returns `None` once the queue is shut down and empty.
    ///
    /// The worker that has waited longest is woken first. Keys are handed out in the order in which
    /// they were added.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: a key leaves the queue only when the future returns it. If a waiting future is
    /// dropped, another worker takes its turn.
    ///
    /// A woken future must be polled or dropped soon. Until then it counts as an active worker: the
    /// key it was woken for goes to the next worker that calls `get`, but no waiting worker is
    /// woken for that key. This happens to a future that is polled by `&mut` in a `select!` while
    /// another branch runs for long.
    ///
    /// # Panics
    ///
    /// Outside of a Tokio runtime, if there are delayed keys, which need its timer, or metrics,
    /// which need a task.
    pub async fn get(&self) -> Option<Item<T>> {
        // Yields occasionally, so that a worker that never waits does not starve other tasks.
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

    /// Returns how many keys wait for a worker. Delayed keys and keys in processing do not count.
    ///
    /// For information only: the number may change at any time.
    #[must_use]
    pub fn len(&self) -> usize {
        self.shared.change(|state| state.len())
    }

    /// Whether [`len`](Queue::len) is zero.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Shuts the queue down: new keys are rejected, and workers get the remaining keys, then
    /// `None`. Delayed keys are dropped.
    ///
    /// It also ends every [`shutdown_with_drain`](Queue::shutdown_with_drain) in progress, for
    /// instance on the second signal to a program.
    pub fn shutdown(&self) {
        self.shared.close(Phase::Closed);
    }

    /// Shuts the queue down as [`shutdown`](Queue::shutdown), and waits until workers have
    /// processed all remaining keys.
    ///
    /// It waits for queued keys as well; client-go's `ShutDownWithDrain` returns early if no key is
    /// in processing at that moment. It needs running workers. A worker must not call it while it
    /// holds an item.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: the queue is shut down at the first poll. Dropping the future only stops
    /// waiting.
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

// === impl Item ===

impl<T> Item<T> {
    /// Returns the priority of the key, to requeue it with the same priority. It is 0 unless the
    /// queue is a [`PriorityQueue`](super::PriorityQueue).
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
