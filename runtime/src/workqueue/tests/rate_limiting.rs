//! Tests of rate limited adds: client-go's `rate_limiting_queue_test.go`.

use std::time::Duration;

use tokio::time::Instant;

use super::process;
use crate::workqueue::{ItemExponentialFailureRateLimiter, Queue};

#[tokio::test(start_paused = true)]
async fn rate_limiting_queue() {
    let limiter =
        ItemExponentialFailureRateLimiter::new(Duration::from_millis(1), Duration::from_secs(1));
    let queue = Queue::builder().rate_limiter(limiter).build();
    let mut steps = Vec::new();
    for key in ["one", "one", "two", "two"] {
        steps.push((key, delay_of(&queue, key).await, queue.num_requeues(&key)));
    }
    queue.forget(&"one");
    assert_eq!(queue.num_requeues(&"one"), 0);
    steps.push((
        "one",
        delay_of(&queue, "one").await,
        queue.num_requeues(&"one"),
    ));
    let expected = [
        ("one", 1, 1),
        ("one", 2, 2),
        ("two", 1, 1),
        ("two", 2, 2),
        ("one", 1, 1),
    ];
    assert_eq!(steps, expected);
}

/// Adds a key with a rate limit. Returns the milliseconds until it is handed out.
async fn delay_of(queue: &Queue<&'static str>, key: &'static str) -> u128 {
    let start = Instant::now();
    queue.add_rate_limited(key);
    let item = queue.get().await;
    assert_eq!(item.as_deref(), Some(&key));
    start.elapsed().as_millis()
}

#[tokio::test(start_paused = true)]
async fn forget_resets_the_limiter_and_not_the_queue() {
    let queue = Queue::new();
    queue.add_rate_limited("foo");
    queue.forget(&"foo");
    tokio::time::advance(Duration::from_millis(5)).await;
    process(&queue, "foo");
}
