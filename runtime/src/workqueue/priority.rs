//! Priority queue: [`PriorityQueue`] and its options.

use std::fmt;
use std::hash::Hash;
use std::ops::Deref;
use std::time::Duration;

use super::ItemExponentialFailureRateLimiter;
use super::builder::QueueBuilder;
use super::order::Discipline;
use super::queue::Queue;

/// Low priority, for objects of the initial list and for resyncs.
pub const LOW_PRIORITY: i32 = -100;

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
pub struct PriorityQueue<T>(pub(super) Queue<T>);

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

impl<T: Eq + Hash + Clone + Send + 'static> QueueBuilder<T> {
    /// Builds a queue with priorities. The default rate limiter delays a key by 5 ms × 2ⁿ after n
    /// earlier failures, up to 1000 s.
    #[must_use]
    pub fn build_priority_queue(self) -> PriorityQueue<T> {
        let (base, max) = (Duration::from_millis(5), Duration::from_secs(1000));
        PriorityQueue(self.queue(Discipline::Priority, || {
            Box::new(ItemExponentialFailureRateLimiter::new(base, max))
        }))
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
