//! Tests of waking workers, and of dropping a pending `get`.

use std::time::Duration;

use tokio::task::JoinSet;
use tokio::time::{Instant, advance, sleep};
use tokio_test::{assert_pending, assert_ready, task};

use crate::workqueue::Queue;

fn ms(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

#[test]
fn one_key_wakes_one_worker() {
    let queue = Queue::new();
    let mut first = task::spawn(queue.get());
    let mut second = task::spawn(queue.get());
    assert_pending!(first.poll());
    assert_pending!(second.poll());
    queue.add("foo");
    assert!(first.is_woken());
    assert!(!second.is_woken());
    queue.add("bar");
    assert!(second.is_woken());
    let held = (assert_ready!(first.poll()), assert_ready!(second.poll()));
    assert_eq!(
        (held.0.as_deref(), held.1.as_deref()),
        (Some(&"foo"), Some(&"bar"))
    );
}

#[test]
fn dropped_worker_passes_its_wake_up_on() {
    let queue = Queue::new();
    let mut first = task::spawn(queue.get());
    let mut second = task::spawn(queue.get());
    assert_pending!(first.poll());
    assert_pending!(second.poll());
    queue.add("foo");
    drop(first);
    assert!(second.is_woken());
    assert_eq!(assert_ready!(second.poll()).as_deref(), Some(&"foo"));
}

#[test]
fn unpolled_worker_keeps_its_wake_up() {
    let queue = Queue::new();
    let mut kept = task::spawn(queue.get());
    let mut other = task::spawn(queue.get());
    assert_pending!(kept.poll());
    assert_pending!(other.poll());
    queue.add("foo");
    assert!(kept.is_woken());
    assert!(!other.is_woken(), "one key wakes one worker");
    let foo = assert_ready!(task::spawn(queue.get()).poll());
    assert_eq!(foo.as_deref(), Some(&"foo"), "a new `get` returns the key");
    queue.add("bar");
    assert!(!other.is_woken(), "the first wake-up is not used yet");
    queue.add("baz");
    assert!(other.is_woken(), "two keys wake two workers");
}

#[test]
fn unpolled_get_takes_no_key() {
    let queue = Queue::new();
    queue.add("foo");
    drop(queue.get());
    assert_eq!(queue.len(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_delayed_key_wakes_one_worker() {
    let queue = Queue::new();
    queue.add_after("foo", ms(50));
    let mut first = task::spawn(queue.get());
    let mut second = task::spawn(queue.get());
    assert_pending!(first.poll());
    assert_pending!(second.poll());
    advance(ms(51)).await;
    assert!(first.is_woken());
    let foo = assert_ready!(first.poll());
    assert_eq!(foo.as_deref(), Some(&"foo"));
    assert!(!second.is_woken(), "there is nothing for a second worker");
}

#[tokio::test(start_paused = true)]
async fn timer_is_taken_over_from_a_leaving_worker() {
    for cancelled in [true, false] {
        let queue = Queue::new();
        queue.add_after("late", ms(50));
        let mut first = task::spawn(queue.get());
        let mut second = task::spawn(queue.get());
        assert_pending!(first.poll());
        assert_pending!(second.poll());
        let mut held = None;
        if cancelled {
            drop(first);
        } else {
            queue.add("now");
            held = Some(assert_ready!(first.poll()));
        }
        assert!(second.is_woken(), "to set the timer");
        assert_pending!(second.poll());
        advance(ms(51)).await;
        assert!(second.is_woken());
        assert_eq!(
            assert_ready!(second.poll()).as_deref(),
            Some(&"late"),
            "cancelled: {cancelled}"
        );
        drop(held);
    }
}

#[tokio::test(start_paused = true)]
async fn get_wakes_another_worker_for_remaining_keys() {
    let queue = Queue::new();
    queue.add_after("delayed", ms(50));
    let mut first = task::spawn(queue.get());
    let mut second = task::spawn(queue.get());
    assert_pending!(first.poll());
    assert_pending!(second.poll());
    advance(ms(51)).await;
    queue.add("added");
    let delayed = assert_ready!(first.poll());
    assert_eq!(delayed.as_deref(), Some(&"delayed"));
    assert!(second.is_woken());
    assert_eq!(assert_ready!(second.poll()).as_deref(), Some(&"added"));
}

#[tokio::test(start_paused = true)]
async fn earlier_key_shortens_the_timer_of_a_waiting_worker() {
    let queue = Queue::new();
    queue.add_after("late", ms(1000));
    let worker = tokio::spawn({
        let queue = queue.clone();
        async move { queue.get().await.map(|key| *key) }
    });
    sleep(ms(1)).await;
    let start = Instant::now();
    queue.add_after("early", ms(50));
    assert_eq!(worker.await.ok().flatten(), Some("early"));
    assert_eq!(start.elapsed(), ms(50));
}

/// Workers start, stop and are cancelled at random times; every key is still handed out when it is
/// due.
#[tokio::test(start_paused = true)]
async fn delayed_keys_are_on_time_as_workers_come_and_go() {
    let queue = Queue::new();
    let start = Instant::now();
    for key in 0..500u64 {
        queue.add_after(key, ms(key * 37 % 1000 + 1));
    }
    let mut workers = JoinSet::new();
    for worker in 0..8u64 {
        let queue = queue.clone();
        workers.spawn(async move {
            let mut seen = Vec::new();
            loop {
                let patience = ms(worker % 4 * 3 + 2);
                match tokio::time::timeout(patience, queue.get()).await {
                    Ok(Some(key)) => seen.push((*key, start.elapsed())),
                    Ok(None) => return seen,
                    Err(_) => tokio::task::yield_now().await,
                }
            }
        });
    }
    sleep(ms(1001)).await;
    queue.shutdown();
    let mut seen = workers.join_all().await.concat();
    seen.sort_unstable();
    let expected: Vec<_> = (0..500u64)
        .map(|key| (key, ms(key * 37 % 1000 + 1)))
        .collect();
    assert_eq!(seen, expected);
}
