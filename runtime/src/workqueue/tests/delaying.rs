//! Tests of delays: client-go's `delaying_queue_test.go`, and the differences of a queue with
//! built-in delays.

use std::time::Duration;

use tokio::time::{Instant, advance};
use tokio_test::{assert_pending, task};

use super::{assert_nothing_ready, get, process};
use crate::workqueue::Queue;

fn ms(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

#[tokio::test(start_paused = true)]
async fn simple_queue() {
    let queue = Queue::new();
    queue.add_after("foo", ms(50));
    assert_eq!(queue.len(), 0);
    advance(ms(49)).await;
    assert_eq!(queue.len(), 0);
    advance(ms(1)).await;
    assert_eq!(queue.len(), 1);
    process(&queue, "foo");
    advance(Duration::from_secs(10)).await;
    assert_eq!(queue.len(), 0);
}

#[tokio::test(start_paused = true)]
async fn deduping() {
    for (first, second) in [(50, 70), (50, 30), (50, 50)] {
        let queue = Queue::new();
        queue.add_after("foo", ms(first));
        queue.add_after("foo", ms(second));
        advance(ms(first.min(second) - 1)).await;
        assert_eq!(queue.len(), 0);
        advance(ms(1)).await;
        process(&queue, "foo");
        advance(ms(100)).await;
        assert_eq!(queue.len(), 0, "{first} ms and {second} ms are one");
    }
}

#[tokio::test(start_paused = true)]
async fn add_two_fire_early() {
    let queue = Queue::new();
    queue.add_after("foo", ms(1000));
    queue.add_after("bar", ms(50));
    assert_eq!(queue.len(), 0);
    advance(ms(60)).await;
    assert_eq!(*get(&queue), "bar");
    queue.add_after("baz", ms(2000));
    advance(ms(1000)).await;
    assert_eq!(*get(&queue), "foo");
    advance(ms(2000)).await;
    assert_eq!(*get(&queue), "baz");
}

#[tokio::test(start_paused = true)]
async fn copy_shifting() {
    let queue = Queue::new();
    queue.add_after("foo", ms(1000));
    queue.add_after("bar", ms(500));
    queue.add_after("baz", ms(250));
    queue.add_after("boo", ms(250));
    assert_eq!(queue.len(), 0);
    advance(ms(2000)).await;
    assert_eq!(queue.len(), 4);
    for expected in ["baz", "boo", "bar", "foo"] {
        process(&queue, expected);
    }
}

#[tokio::test(start_paused = true)]
async fn add_after_without_a_delay_adds_at_once() {
    let queue = Queue::new();
    queue.add_after("foo", Duration::ZERO);
    process(&queue, "foo");
}

#[tokio::test(start_paused = true)]
async fn maximum_delay_does_not_overflow() {
    let queue = Queue::new();
    queue.add_after("foo", Duration::MAX);
    let mut worker = task::spawn(queue.get());
    assert_pending!(worker.poll());
    queue.add_after("foo", ms(1));
    drop(worker);
    assert_eq!(queue.get().await.as_deref(), Some(&"foo"));
}

#[tokio::test(start_paused = true)]
async fn delayed_key_added_directly_is_still_returned_when_due() {
    let queue = Queue::new();
    queue.add_after("foo", ms(50));
    queue.add("foo");
    process(&queue, "foo");
    assert_nothing_ready(&queue);
    advance(ms(50)).await;
    process(&queue, "foo");
    assert_nothing_ready(&queue);
}

#[tokio::test(start_paused = true)]
async fn key_due_while_queued_is_deduplicated() {
    let queue = Queue::new();
    queue.add_after("foo", ms(50));
    queue.add("foo");
    advance(ms(50)).await;
    process(&queue, "foo");
    assert_nothing_ready(&queue);
}

#[tokio::test(start_paused = true)]
async fn key_due_while_processing_is_requeued() {
    let queue = Queue::new();
    queue.add("foo");
    let item = get(&queue);
    queue.add_after("foo", ms(50));
    advance(ms(50)).await;
    assert_nothing_ready(&queue);
    drop(item);
    process(&queue, "foo");
    assert_nothing_ready(&queue);
}

#[tokio::test(start_paused = true)]
async fn due_key_precedes_keys_added_later() {
    let queue = Queue::new();
    queue.add("busy");
    let busy = get(&queue);
    queue.add_after("due", ms(50));
    advance(ms(50)).await;
    queue.add("later");
    drop(busy);
    process(&queue, "due");
    process(&queue, "later");
}

#[tokio::test(start_paused = true)]
async fn due_key_precedes_keys_requeued_later() {
    let queue = Queue::new();
    queue.add("again");
    let again = get(&queue);
    queue.add("again");
    queue.add_after("due", ms(50));
    advance(ms(50)).await;
    drop(again);
    process(&queue, "due");
    process(&queue, "again");
}

#[tokio::test(start_paused = true)]
async fn key_delayed_again_after_it_was_due_is_returned_twice() {
    let queue = Queue::new();
    queue.add_after("foo", ms(50));
    advance(ms(60)).await;
    queue.add_after("foo", ms(50));
    process(&queue, "foo");
    assert_nothing_ready(&queue);
    advance(ms(50)).await;
    process(&queue, "foo");
}

#[tokio::test(start_paused = true)]
async fn get_waits_until_the_next_key_is_due() {
    let queue = Queue::new();
    let start = Instant::now();
    queue.add_after("late", ms(3000));
    queue.add_after("early", ms(1000));
    assert_eq!(queue.get().await.as_deref(), Some(&"early"));
    assert_eq!(start.elapsed(), ms(1000));
    assert_eq!(queue.get().await.as_deref(), Some(&"late"));
    assert_eq!(start.elapsed(), ms(3000));
}

#[tokio::test(start_paused = true)]
async fn shut_down_forgets_delayed_keys() {
    let queue = Queue::new();
    queue.add_after("foo", ms(50));
    queue.shutdown_with_drain().await;
    queue.add_after("bar", ms(50));
    advance(ms(60)).await;
    assert!(queue.get().await.is_none());
}

#[tokio::test(start_paused = true)]
async fn shut_down_hands_out_keys_that_were_due() {
    let queue = Queue::new();
    queue.add_after("foo", ms(50));
    advance(ms(50)).await;
    queue.shutdown();
    process(&queue, "foo");
    assert!(queue.get().await.is_none());
}
