//! The queue between event handlers and workers: keys go in as often as they like, and come out one worker at a time.
//!
//! It is client-go's `util/workqueue`. Handlers [`add`](Queue::add) the key of an object that changed, workers
//! [`get`](Queue::get) a key, bring the world in line with the object and drop the [`Item`] that they were given.
//!
//! # Guarantees
//!
//! - **One at a time**: a key is never with two workers at once.
//! - **Nothing is lost, nothing is doubled**: a key that is added while it waits is handed out once; a key that is added
//!   while a worker has it is handed out once more, after that worker is done.
//! - **Fair**: keys come out in the order in which they were first added. A delayed key is added at
//!   the time when it is due, also if no worker is free then.
//! - **Delays**: [`add_after`](Queue::add_after) keeps the earlier of two times. A key that waits for its time may be
//!   added directly and is then handed out now and at its time.
//!
//! # Priorities
//!
//! A [`PriorityQueue`] is controller-runtime's: keys of a higher priority come out first, and a key that is added again
//! has the highest of its priorities and the shortest of its delays.
//!
//! # One type
//!
//! client-go layers a rate limiting queue over a delaying queue over a queue, as each layer costs a goroutine or a lock.
//! Here a layer that is not used costs nothing, so [`Queue`] is all three. There is no task behind it: a worker that waits
//! in [`get`](Queue::get) also waits for the next delayed key. So a queue ends with its last handle.
//!
//! # Example
//!
//! ```
//! use genclient::workqueue::Queue;
//!
//! # async fn reconcile(key: &str) -> Result<(), std::io::Error> { assert_eq!(key, "default/train"); Ok(()) }
//! async fn work(queue: Queue<String>) {
//!     while let Some(key) = queue.get().await {
//!         match reconcile(&key).await {
//!             Ok(()) => queue.forget(&key),
//!             Err(_) => queue.add_rate_limited(key.clone()),
//!         }
//!         // `key` is dropped here, which says that this worker is done with it.
//!     }
//! }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() {
//! let queue = Queue::new();
//! let worker = tokio::spawn(work(queue.clone()));
//!
//! queue.add("default/train".to_owned());
//!
//! queue.shutdown_with_drain().await;
//! worker.await.expect("the worker ends when the queue is drained");
//! # }
//! ```

mod builder;
mod delayed;
mod item;
mod limiter;
mod meter;
mod parallelizer;
mod priority;
mod queue;
mod ready;
mod shared;
mod state;
mod waiters;

pub use builder::QueueBuilder;
pub use item::Item;
pub use limiter::{
    BucketRateLimiter, ItemExponentialFailureRateLimiter, ItemFastSlowRateLimiter,
    MaxOfRateLimiter, RateLimiter, WithMaxWaitRateLimiter, default_controller_rate_limiter,
};
pub use parallelizer::parallelize_until;
pub use priority::{AddOpts, LOW_PRIORITY, PriorityQueue};
pub use queue::Queue;

#[cfg(test)]
mod tests;
