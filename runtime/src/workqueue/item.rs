//! Guard of a key in processing: [`Item`].

use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

use super::shared::SharedQueue;

/// A key that a worker is processing. Dropping it is client-go's `Done`.
///
/// It dereferences to the key and displays as the key. It is also dropped if the worker panics or
/// its future is dropped, so a key cannot stay locked as after a missing `Done` in client-go. After
/// a failure, the worker requeues the key with
/// [`add_rate_limited`](super::Queue::add_rate_limited).
#[must_use = "dropping an item means that its worker is done with it"]
pub struct Item<T> {
    pub(super) queue: Arc<SharedQueue<T>>,
    pub(super) slot: usize,
    pub(super) key: T,
    pub(super) priority: i32,
}

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
