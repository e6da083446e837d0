//! [`Item`]: a key that a worker has.

use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

use super::shared::SharedQueue;

/// A key that a worker has; dropping it tells the queue that the worker is done.
///
/// It dereferences to the key, and is displayed as the key. It is dropped on every way out, so a worker that panics or whose future is cancelled keeps no
/// key locked for ever, as a forgotten `Done` does in client-go. A worker that failed puts the key back itself, by
/// [`add_rate_limited`](super::Queue::add_rate_limited).
#[must_use = "dropping an item means that its worker is done with it"]
pub struct Item<T> {
    pub(super) queue: Arc<SharedQueue<T>>,
    pub(super) slot: usize,
    pub(super) key: T,
    pub(super) priority: i32,
}

impl<T> Item<T> {
    /// The priority with which the key came: what a worker adds it again with. Zero unless it is of a
    /// [`PriorityQueue`](super::PriorityQueue).
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
