//! [`Queue`]: the handle of a queue.

use std::fmt;
use std::hash::{BuildHasher, Hash};
use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use super::item::Item;
use super::ready::Discipline;
use super::shared::SharedQueue;
use super::state::Phase;
use crate::time::FOR_EVER;

/// A queue of keys for workers, with delays, rate limits and shutdown; see the [module](super) for what it guarantees.
///
/// A handle is cheap to clone, and every clone is the same queue. `T` is the name of an object as a rule, and so small; it
/// is cloned once for each worker that gets it.
pub struct Queue<T> {
    pub(super) shared: Arc<SharedQueue<T>>,
}

impl<T: Eq + Hash + Clone + Send + 'static> Queue<T> {
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
            if let (true, Phase::Open, Some(meter)) = (retry, state.phase, &state.meter) {
                meter.retried();
            }
            state.add(hash, key, priority, due)
        });
    }

    /// Adds a key as soon as the rate limiter allows; what a worker calls that failed.
    pub fn add_rate_limited(&self, key: T) {
        let delay = self.shared.limiter.lock().when(&key);
        self.add_after(key, delay);
    }

    /// Tells the rate limiter that a key is not retried any more, so that its next failure waits the shortest time again.
    ///
    /// What a worker calls that succeeded, or that gave up; a limiter remembers every key that is not forgotten. The queue
    /// itself is not changed.
    pub fn forget(&self, key: &T) {
        self.shared.limiter.lock().forget(key);
    }

    /// How often a key was added rate limited since it was last forgotten.
    #[must_use]
    pub fn num_requeues(&self, key: &T) -> usize {
        self.shared.limiter.lock().num_requeues(key)
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
    /// A future that was woken must be polled or dropped soon. Until then it counts as a worker on
    /// its way: a key that was added for it goes to the next worker that calls `get`, but no worker
    /// that already waits is woken for that key. Such a future stays behind where it is polled by
    /// `&mut` in a `select!`, and another branch runs for long.
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
    /// It also ends every [`shutdown_with_drain`](Queue::shutdown_with_drain) that is under way:
    /// what a program does on its second signal.
    pub fn shutdown(&self) {
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
    pub async fn shutdown_with_drain(&self) {
        let shut_downs = self.shared.close(Phase::Draining);
        self.shared.drained(shut_downs).await;
    }

    /// Whether one of the two was called.
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
