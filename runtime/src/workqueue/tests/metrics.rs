//! `metrics_test.go`.

use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::time::{advance, sleep};

use super::get;
use crate::workqueue::{Metrics, Queue};

/// The last value of every gauge, the values of every histogram, the sum of every counter.
#[derive(Clone, Debug, Default, PartialEq)]
struct Seen {
    depth: usize,
    adds: usize,
    queue_durations: Vec<Duration>,
    work_durations: Vec<Duration>,
    unfinished: Duration,
    longest: Duration,
    updates: usize,
    retries: usize,
}

#[derive(Default)]
struct Recorder(Mutex<Seen>);

impl Metrics for Recorder {
    fn depth(&self, keys: usize) {
        self.0.lock().depth = keys;
    }

    fn add(&self) {
        self.0.lock().adds += 1;
    }

    fn queue_duration(&self, waited: Duration) {
        self.0.lock().queue_durations.push(waited);
    }

    fn work_duration(&self, worked: Duration) {
        self.0.lock().work_durations.push(worked);
    }

    fn unfinished_work(&self, sum: Duration) {
        let mut seen = self.0.lock();
        seen.unfinished = sum;
        seen.updates += 1;
    }

    fn longest_running_processor(&self, longest: Duration) {
        self.0.lock().longest = longest;
    }

    fn retry(&self) {
        self.0.lock().retries += 1;
    }
}

fn queue(period: Duration) -> (Queue<&'static str>, Arc<Recorder>) {
    let recorder = Arc::new(Recorder::default());
    let queue = Queue::builder()
        .metrics(recorder.clone())
        .update_period(period)
        .build();
    (queue, recorder)
}

const US: Duration = Duration::from_micros(1);
const MS: Duration = Duration::from_millis(1);

#[tokio::test(start_paused = true)]
async fn metrics() {
    let (queue, recorder) = queue(MS);
    let seen = || recorder.0.lock().clone();
    queue.add("foo");
    assert_eq!((seen().adds, seen().depth), (1, 1));

    advance(50 * US).await;
    let item = get(&queue);
    assert_eq!((seen().depth, seen().queue_durations), (0, vec![50 * US]));

    for _ in 0..5 {
        queue.add("foo");
    }
    assert_eq!((seen().adds, seen().depth), (2, 1));

    advance(25 * US).await;
    drop(item);
    assert_eq!((seen().depth, seen().work_durations), (1, vec![25 * US]));

    let item = get(&queue);
    assert_eq!(
        (seen().depth, seen().queue_durations),
        (0, vec![50 * US, 25 * US])
    );

    advance(MS).await;
    drop(item);
    assert_eq!(seen().work_durations, [25 * US, MS]);
    assert_eq!(seen().retries, 0);
}

#[tokio::test(start_paused = true)]
async fn unfinished_work_is_reported_while_workers_work() {
    let (queue, recorder) = queue(10 * MS);
    queue.add("foo");
    queue.add("bar");
    let foo = queue.get().await;
    sleep(5 * MS).await;
    let bar = queue.get().await;
    sleep(6 * MS).await;
    let seen = recorder.0.lock().clone();
    assert_eq!((seen.unfinished, seen.longest), (15 * MS, 10 * MS));
    drop((foo, bar));
    sleep(10 * MS).await;
    let seen = recorder.0.lock().clone();
    assert_eq!(
        (seen.unfinished, seen.longest),
        (Duration::ZERO, Duration::ZERO)
    );
}

#[tokio::test(start_paused = true)]
async fn metric_shutdown() {
    let (queue, recorder) = queue(MS);
    queue.add("foo");
    let _item = queue.get().await;
    sleep(3 * MS).await;
    let updates = recorder.0.lock().updates;
    assert!(updates >= 2, "{updates}");
    queue.shut_down();
    sleep(Duration::from_secs(3600)).await;
    assert_eq!(recorder.0.lock().updates, updates);
}

#[tokio::test(start_paused = true)]
async fn the_updates_end_with_the_last_handle() {
    let (queue, recorder) = queue(MS);
    queue.add("foo");
    drop(queue.get().await);
    sleep(3 * MS).await;
    assert_eq!(Arc::strong_count(&recorder), 2);
    drop(queue);
    assert_eq!(
        Arc::strong_count(&recorder),
        1,
        "the queue is gone and so are its updates"
    );
}

#[tokio::test(start_paused = true)]
async fn a_delayed_key_has_waited_since_it_was_due() {
    let (queue, recorder) = queue(Duration::from_secs(1));
    queue.add_after("foo", 10 * MS);
    queue.add_rate_limited("bar");
    queue.add_after("baz", Duration::ZERO);
    assert_eq!(recorder.0.lock().retries, 3);
    assert_eq!(recorder.0.lock().adds, 1);
    advance(30 * MS).await;
    for _ in 0..3 {
        drop(get(&queue));
    }
    let seen = recorder.0.lock().clone();
    assert_eq!(seen.adds, 3);
    assert_eq!(
        seen.queue_durations,
        [30 * MS, 25 * MS, 20 * MS],
        "baz, bar, foo"
    );
}
