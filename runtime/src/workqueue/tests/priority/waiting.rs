//! Tests of workers that wait for a key of a priority queue.

use std::time::Duration;

use tokio::time::{Instant, advance};
use tokio_test::{assert_pending, assert_ready, task};

use super::{HOUR, after, get, measured, priority, queue};
use crate::workqueue::tests::{assert_nothing_ready, assert_shut_down, process};
use crate::workqueue::{AddOpts, ItemExponentialFailureRateLimiter, PriorityQueue};

const SECOND: Duration = Duration::from_secs(1);
const MS: Duration = Duration::from_millis(1);

#[tokio::test(start_paused = true)]
async fn item_is_only_returned_after_after_has_passed() {
    let (queue, recorder) = queue();
    let mut worker = task::spawn(queue.get());
    assert_pending!(worker.poll());
    queue.add_with_opts(after(SECOND), ["foo"]);
    assert_pending!(worker.poll());
    advance(SECOND - MS).await;
    assert_pending!(worker.poll());
    advance(2 * MS).await;
    assert!(worker.is_woken());
    assert_eq!(assert_ready!(worker.poll()).as_deref(), Some(&"foo"));
    assert_eq!(measured(&recorder), "[0:0] 1 adds 1 retries");
}

#[tokio::test(start_paused = true)]
async fn item_is_returned_as_soon_as_possible() {
    let (queue, recorder) = queue();
    let mut worker = task::spawn(queue.get());
    assert_pending!(worker.poll());
    queue.add("foo");
    assert!(worker.is_woken());
    assert_eq!(assert_ready!(worker.poll()).as_deref(), Some(&"foo"));
    assert_eq!(measured(&recorder), "[0:0] 1 adds 0 retries");
}

#[tokio::test(start_paused = true)]
async fn waiting_item_is_returned_right_after_re_add_without_after() {
    let (queue, recorder) = queue();
    let mut worker = task::spawn(queue.get());
    assert_pending!(worker.poll());
    queue.add_with_opts(after(HOUR), ["foo"]);
    assert_pending!(worker.poll());
    queue.add("foo");
    assert!(worker.is_woken());
    assert_eq!(assert_ready!(worker.poll()).as_deref(), Some(&"foo"));
    assert_eq!(measured(&recorder), "[0:0] 1 adds 1 retries");
}

#[tokio::test(start_paused = true)]
async fn multiple_items_with_after_are_returned_in_correct_order() {
    let (queue, recorder) = queue();
    let start = Instant::now();
    queue.add_with_opts(after(SECOND), ["foo"]);
    queue.add_with_opts(after(200 * MS), ["bar"]);
    for (key, time) in [("bar", 200 * MS), ("foo", SECOND)] {
        assert_eq!(queue.get().await.as_deref(), Some(&key));
        assert_eq!(start.elapsed(), time);
    }
    assert_eq!(measured(&recorder), "[0:0] 2 adds 2 retries");
}

#[tokio::test(start_paused = true)]
async fn get_from_priority_queue_is_unblocked_on_shutdown() {
    let (queue, _) = queue::<&str>();
    let mut worker = task::spawn(queue.get());
    assert_pending!(worker.poll());
    queue.shutdown();
    assert!(worker.is_woken());
    assert!(assert_ready!(worker.poll()).is_none());
}

/// Remaining keys are handed out, unlike in controller-runtime; later ones are rejected.
#[tokio::test(start_paused = true)]
async fn get_from_priority_queue_does_not_get_stuck_when_it_is_shut_down() {
    let (queue, _) = queue::<&str>();
    queue.add("baz");
    queue.shutdown();
    queue.add_with_opts(after(SECOND), ["foo"]);
    process(&queue, "baz");
    advance(HOUR).await;
    assert_shut_down(&queue);
    assert_shut_down(&queue);
}

#[tokio::test(start_paused = true)]
async fn multiple_items_with_ratelimit_true_do_not_affect_each_other() {
    let (queue, recorder) = queue();
    // After seven failures, the delay of the next one is 640 ms.
    for _ in 0..7 {
        queue.shared.limiter.lock().when(&"bar");
    }
    let start = Instant::now();
    let rate_limited = AddOpts {
        rate_limited: true,
        ..AddOpts::default()
    };
    queue.add_with_opts(rate_limited, ["foo", "bar"]);
    for (key, time) in [("foo", 5 * MS), ("bar", 640 * MS)] {
        assert_eq!(queue.get().await.as_deref(), Some(&key));
        assert_eq!(start.elapsed(), time);
    }
    assert_eq!(measured(&recorder), "[0:0] 2 adds 2 retries");
}

#[tokio::test(start_paused = true)]
async fn shorter_of_after_and_rate_limit_is_used() {
    // The delay in the options, and the expected one with a rate limiter's delay of 100 ms.
    for (asked, expected) in [(0, 100), (50, 50), (200, 100)] {
        let limiter = ItemExponentialFailureRateLimiter::new(100 * MS, HOUR);
        let queue = PriorityQueue::builder()
            .rate_limiter(limiter)
            .build_priority_queue();
        let opts = AddOpts {
            after: asked * MS,
            rate_limited: true,
            priority: 0,
        };
        queue.add_with_opts(opts, ["foo"]);
        let start = Instant::now();
        assert_eq!(queue.get().await.as_deref(), Some(&"foo"));
        assert_eq!(start.elapsed(), expected * MS, "asked for {asked} ms");
        assert_eq!(queue.num_requeues(&"foo"), 1);
    }
}

#[tokio::test(start_paused = true)]
async fn item_due_while_locked_is_returned_after_unlock() {
    let (queue, _) = queue::<&str>();
    queue.add("foo");
    let item = get(&queue);
    queue.add_with_opts(after(SECOND), ["foo"]);
    advance(SECOND).await;
    assert_nothing_ready(&queue);
    drop(item);
    process(&queue, "foo");
    assert_nothing_ready(&queue);
}

#[tokio::test(start_paused = true)]
async fn a_drain_waits_for_every_priority() {
    let (queue, _) = queue::<&str>();
    queue.add_with_opts(priority(-100), ["low"]);
    queue.add_with_opts(priority(100), ["high"]);
    let mut drain = task::spawn(queue.shutdown_with_drain());
    assert_pending!(drain.poll());
    process(&queue, "high");
    assert_pending!(drain.poll());
    process(&queue, "low");
    assert_ready!(drain.poll());
}
