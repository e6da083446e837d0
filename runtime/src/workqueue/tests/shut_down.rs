//! Tests of shutdown: client-go's `queue_test.go`.

use tokio_test::{assert_pending, assert_ready, task};

use super::{assert_shut_down, get, process};
use crate::workqueue::Queue;

#[test]
fn queue_drainage_using_shut_down_with_drain() {
    let queue = Queue::new();
    queue.add("foo");
    queue.add("bar");
    let (foo, bar) = (get(&queue), get(&queue));
    let mut drain = task::spawn(queue.shutdown_with_drain());
    assert_pending!(drain.poll());
    assert!(queue.is_shutting_down());
    assert_shut_down(&queue);
    drop(foo);
    assert_pending!(drain.poll());
    drop(bar);
    assert!(drain.is_woken());
    assert_ready!(drain.poll());
}

#[test]
fn drain_waits_for_keys_that_are_not_taken_yet() {
    let queue = Queue::new();
    queue.add("foo");
    let mut drain = task::spawn(queue.shutdown_with_drain());
    assert_pending!(drain.poll());
    process(&queue, "foo");
    assert_ready!(drain.poll());
}

#[test]
fn no_queue_drainage_using_shut_down() {
    let queue = Queue::new();
    queue.add("foo");
    queue.add("bar");
    let _held = (get(&queue), get(&queue));
    queue.shutdown();
    assert_shut_down(&queue);
}

#[test]
fn force_queue_shutdown_using_shut_down() {
    let queue = Queue::new();
    queue.add("foo");
    queue.add("bar");
    let _held = (get(&queue), get(&queue));
    let mut drain = task::spawn(queue.shutdown_with_drain());
    assert_pending!(drain.poll());
    queue.shutdown();
    assert!(drain.is_woken());
    assert_ready!(drain.poll());
}

#[test]
fn force_queue_shutdown_is_not_undone_by_another_drain() {
    let queue = Queue::new();
    queue.add("foo");
    let held = get(&queue);
    let mut called_off = task::spawn(queue.shutdown_with_drain());
    assert_pending!(called_off.poll());
    queue.shutdown();
    let mut drain = task::spawn(queue.shutdown_with_drain());
    assert_pending!(drain.poll());
    assert!(called_off.is_woken());
    assert_ready!(called_off.poll());
    drop(held);
    assert_ready!(drain.poll());
}

#[test]
fn queue_drainage_using_shut_down_with_drain_with_dirty_item() {
    let queue = Queue::new();
    queue.add("foo");
    let item = get(&queue);
    queue.add("foo");
    let mut drain = task::spawn(queue.shutdown_with_drain());
    assert_pending!(drain.poll());
    assert_shut_down(&queue);
    drop(item);
    assert_pending!(drain.poll());
    process(&queue, "foo");
    assert_shut_down(&queue);
    assert_ready!(drain.poll());
}

#[test]
fn shutdown_hands_out_remaining_keys() {
    let queue = Queue::new();
    queue.add("foo");
    queue.shutdown();
    queue.add("bar");
    process(&queue, "foo");
    assert_shut_down(&queue);
}

#[test]
fn shut_down_wakes_every_worker() {
    let queue = Queue::<&str>::new();
    let mut workers = [task::spawn(queue.get()), task::spawn(queue.get())];
    for worker in &mut workers {
        assert_pending!(worker.poll());
    }
    queue.shutdown();
    for worker in &mut workers {
        assert!(worker.is_woken());
        assert!(assert_ready!(worker.poll()).is_none());
    }
}
