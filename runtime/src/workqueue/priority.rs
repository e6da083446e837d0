//! Keys of a higher priority come out first.

use std::fmt;
use std::hash::Hash;
use std::ops::Deref;
use std::time::Duration;

use super::ItemExponentialFailureRateLimiter;
use super::builder::QueueBuilder;
use super::queue::Queue;
use super::ready::Discipline;

/// The priority of what can wait: objects of an initial list, and those that are only looked at again.
pub const LOW_PRIORITY: i32 = -100;

/// A [`Queue`] that hands out keys of a higher priority first: controller-runtime's `priorityqueue`.
///
/// It dereferences to a queue, so that whatever works on a queue works on this one; [`add`](Queue::add) and its like add
/// with priority 0. [`Item::priority`](super::Item::priority) tells a worker the priority of the key that it got.
///
/// # Guarantees
///
/// - **One at a time**, as with every queue.
/// - **A key is there once.** If it is added again before a worker has got it, the higher priority and the shorter delay
///   count. So a key that waits for its time and is added directly comes now and *not* again at its time, which is where
///   this differs from a [`Queue`].
/// - **Fair among equals**: of one priority, keys come out in the order in which they were added or their time came. A key
///   that rises to a priority comes after those that have it.
/// - [`len`](Queue::len) counts the keys that are ready, and those that come again when their worker is done.
///
/// Shutdown is that of a queue: workers get what is left, while controller-runtime forgets it.
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

/// How keys are added to a [`PriorityQueue`]. By default at once, with priority 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AddOpts {
    /// How long to wait.
    pub after: Duration,
    /// Whether to wait as long as the rate limiter says, or for `after` if that is shorter and not zero.
    pub rate_limited: bool,
    /// Higher ones come out first.
    pub priority: i32,
}

impl<T: Eq + Hash + Clone + Send + 'static> PriorityQueue<T> {
    /// An empty queue that is not measured, with a limiter of 5 ms × 2ⁿ up to 1000 s for each key.
    #[must_use]
    pub fn new() -> Self {
        Self::builder().build_priority_queue()
    }

    /// An empty queue with another rate limiter, or with metrics: finish it with
    /// [`build_priority_queue`](QueueBuilder::build_priority_queue).
    pub fn builder() -> QueueBuilder<T> {
        Queue::builder()
    }

    /// Adds several keys in the same way.
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
    /// The queue, with priorities; with a limiter of 5 ms × 2ⁿ up to 1000 s for each key, if there
    /// is no other.
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
