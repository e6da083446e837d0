//! [`Queue`]: handle of a work queue. [`Item`]: guard of a key that is processed.

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
    pub(super) queue: Arc<SharedQueue<T>>,
    pub(super) slot: usize,
    pub(super) key: T,
    pub(super) priority: i32,
}

// === impl Queue ===

impl<T: Eq + Hash + Clone + Send + 'static> Queue<T> {
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

    pub(super) fn add_delayed(&self, key: T, delay: Duration, priority: i32) {
        let hash = self.shared.hasher.hash_one(&key);
        let due = (!delay.is_zero()).then(|| Instant::now() + delay.min(FOR_EVER));
        self.shared.change(|state| {
            // client-go's retries metric counts every delayed or rate limited add, even with a
            // delay of zero. controller-runtime's metric counts only those with a delay.
            let retry = due.is_some() || state.discipline == Discipline::Fifo;
            if let (true, Phase::Open, Some(meter)) = (retry, state.phase, &state.meter) {
                meter.retried();
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
