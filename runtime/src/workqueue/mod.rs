//! Work queue between event handlers and workers: client-go's `util/workqueue`.
//!
//! Handlers [`add`](Queue::add) the key of a changed object. Workers [`get`](Queue::get) a key,
//! reconcile the object and drop the [`Item`].
//!
//! # Guarantees
//!
//! - **One at a time**: two workers never process the same key at once.
//! - **No loss, no duplicates**: a key that is added again while it waits is handed out once. A key
//!   that is added while a worker processes it is handed out again after that worker is done.
//! - **Fair**: keys are handed out in the order in which they were added. A waiting key that is
//!   added again keeps its place. A key that is added while a worker processes it becomes the last
//!   one when that worker is done. A delayed key counts as added when it is due, even if all
//!   workers are busy then.
//! - **Delays**: if a key is already delayed, [`add_after`](Queue::add_after) keeps the earlier of
//!   the two due times. If a delayed key is also added directly, it is handed out twice: now,
//!   and when it is due.
//!
//! # Priorities
//!
//! A [`PriorityQueue`] is controller-runtime's: keys of a higher priority are handed out first. A
//! key that is added again keeps the highest priority and the shortest delay.
//!
//! # One type
//!
//! client-go has a plain, a delaying and a rate limiting queue, each built on the one before. Each
//! layer costs a goroutine or a lock there. Here, rate limits and delays cost nothing if unused, so
//! [`Queue`] has both. There is no background task for delays: a worker that waits in
//! [`get`](Queue::get) also waits for the next delayed key. So a queue can be dropped without a
//! shutdown; in client-go, that would leave goroutines behind.
//!
//! # Example
//!
//! ```
//! use genclient::workqueue::Queue;
//!
//! # async fn reconcile(key: &str) -> Result<(), std::io::Error> {
//! #     assert_eq!(key, "default/train");
//! #     Ok(())
//! # }
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

mod limiter;
mod metrics;
mod order;
mod parallelizer;
mod queue;
mod shared;
mod state;

pub use limiter::{
    BucketRateLimiter, ItemExponentialFailureRateLimiter, ItemFastSlowRateLimiter,
    MaxOfRateLimiter, RateLimiter, WithMaxWaitRateLimiter, default_controller_rate_limiter,
};
pub use parallelizer::parallelize_until;
pub use queue::{AddOpts, Item, LOW_PRIORITY, PriorityQueue, Queue, QueueBuilder};

#[cfg(test)]
mod tests;
