//! Tests of the queue metrics: client-go's `metrics_test.go`.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::{advance, sleep};

use super::get;
use crate::metrics::recorder::Recorder;
use crate::metrics::{
    Metric, NoMetrics, WORKQUEUE_ADDS, WORKQUEUE_DEPTH, WORKQUEUE_LONGEST_RUNNING_PROCESSOR,
    WORKQUEUE_QUEUE_DURATION, WORKQUEUE_RETRIES, WORKQUEUE_UNFINISHED_WORK,
    WORKQUEUE_WORK_DURATION,
};
use crate::workqueue::Queue;

/// Returns a queue named `test`, and its metrics.
fn queue() -> (Queue<&'static str>, Seen) {
    let recorder = Recorder::default();
    let builder = Queue::builder().metrics("test", Arc::new(recorder.clone()));
    (builder.build(), Seen(recorder))
}

struct Seen(Recorder);

impl Seen {
    fn values(&self, metric: &Metric) -> Vec<f64> {
        let labels = ["test", "test", ""];
        self.0.values(metric, &labels[..metric.labels.len()])
    }

    fn value(&self, metric: &Metric) -> f64 {
        self.values(metric).last().copied().unwrap_or(0.0)
    }

    /// Returns the number of adds, and the depth.
    fn adds_and_depth(&self) -> (f64, f64) {
        (self.value(&WORKQUEUE_ADDS), self.value(&WORKQUEUE_DEPTH))
    }
}

const US: Duration = Duration::from_micros(1);
const MS: Duration = Duration::from_millis(1);

#[tokio::test(start_paused = true)]
async fn metrics() {
    let (queue, seen) = queue();
    queue.add("foo");
    assert_eq!(seen.adds_and_depth(), (1.0, 1.0));

    advance(50 * US).await;
    let item = get(&queue);
    assert_eq!(seen.adds_and_depth(), (1.0, 0.0));
    assert_eq!(seen.values(&WORKQUEUE_QUEUE_DURATION), [5e-5]);

    for _ in 0..5 {
        queue.add("foo");
    }
    assert_eq!(seen.adds_and_depth(), (2.0, 1.0));

    advance(25 * US).await;
    drop(item);
    assert_eq!(seen.adds_and_depth(), (2.0, 1.0));
    assert_eq!(seen.values(&WORKQUEUE_WORK_DURATION), [2.5e-5]);

    let item = get(&queue);
    assert_eq!(seen.adds_and_depth(), (2.0, 0.0));
    assert_eq!(seen.values(&WORKQUEUE_QUEUE_DURATION), [5e-5, 2.5e-5]);

    advance(MS).await;
    drop(item);
    assert_eq!(seen.values(&WORKQUEUE_WORK_DURATION), [2.5e-5, 0.001]);
    assert_eq!(seen.value(&WORKQUEUE_RETRIES), 0.0);
}

#[tokio::test(start_paused = true)]
async fn unfinished_work_is_reported_while_workers_work() {
    let (queue, seen) = queue();
    queue.add("foo");
    queue.add("bar");
    let foo = queue.get().await;
    sleep(250 * MS).await;
    let bar = queue.get().await;
    sleep(260 * MS).await;
    let unfinished = || {
        (
            seen.value(&WORKQUEUE_UNFINISHED_WORK),
            seen.value(&WORKQUEUE_LONGEST_RUNNING_PROCESSOR),
        )
    };
    assert_eq!(unfinished(), (0.75, 0.5));
    drop((foo, bar));
    sleep(500 * MS).await;
    assert_eq!(unfinished(), (0.0, 0.0));
}

#[tokio::test(start_paused = true)]
async fn metric_shutdown() {
    let (queue, seen) = queue();
    queue.add("foo");
    let _item = queue.get().await;
    sleep(1100 * MS).await;
    let updates = seen.values(&WORKQUEUE_UNFINISHED_WORK);
    assert!(updates.len() >= 2, "{updates:?}");
    queue.shutdown();
    sleep(Duration::from_secs(3600)).await;
    assert_eq!(seen.values(&WORKQUEUE_UNFINISHED_WORK), updates);
}

#[tokio::test(start_paused = true)]
async fn metric_updates_end_with_the_last_queue_handle() {
    let provider = Arc::new(NoMetrics);
    let builder = Queue::builder().metrics("test", provider);
    let queue = builder.build();
    queue.add("foo");
    drop(queue.get().await);
    sleep(1100 * MS).await;
    let shared = Arc::downgrade(&queue.shared);
    drop(queue);
    assert_eq!(
        shared.strong_count(),
        0,
        "the queue is gone and so are its updates"
    );
}

#[tokio::test(start_paused = true)]
async fn queue_duration_counts_from_the_due_time() {
    let (queue, seen) = queue();
    queue.add_after("foo", 10 * MS);
    queue.add_rate_limited("bar");
    queue.add_after("baz", Duration::ZERO);
    assert_eq!(seen.value(&WORKQUEUE_RETRIES), 3.0);
    assert_eq!(seen.adds_and_depth(), (1.0, 1.0));
    advance(30 * MS).await;
    for _ in 0..3 {
        drop(get(&queue));
    }
    assert_eq!(seen.adds_and_depth(), (3.0, 0.0));
    assert_eq!(
        seen.values(&WORKQUEUE_QUEUE_DURATION),
        [0.030, 0.025, 0.020],
        "baz, bar, foo"
    );
}

#[tokio::test(start_paused = true)]
async fn due_keys_are_counted_at_the_next_queue_change() {
    let (queue, seen) = queue();
    queue.add_after("foo", 10 * MS);
    advance(10 * MS).await;
    queue.add("bar");
    assert_eq!(seen.adds_and_depth(), (2.0, 2.0));
}

#[test]
fn a_queue_without_a_name_is_not_measured() {
    let recorder = Recorder::default();
    let builder = Queue::builder().metrics("", Arc::new(recorder.clone()));
    builder.build().add("foo");
    assert_eq!(recorder.value(&WORKQUEUE_ADDS, &["", ""]), 0.0);
}

#[test]
fn queues_with_the_same_name_share_metrics() {
    let recorder = Recorder::default();
    let queue = || {
        let builder = Queue::builder().metrics("test", Arc::new(recorder.clone()));
        builder.build()
    };
    let (first, second) = (queue(), queue());
    first.add("foo");
    second.add("foo");
    assert_eq!(recorder.value(&WORKQUEUE_DEPTH, &["test", "test", ""]), 2.0);
}
