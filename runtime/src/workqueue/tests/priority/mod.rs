//! Tests of the priority queue: the cases of controller-runtime's `priorityqueue_test.go`, under
//! their original names.

mod fuzz;
mod metrics;
mod scripts;
mod waiting;

use std::hash::Hash;
use std::sync::Arc;
use std::time::Duration;

use super::get;
use crate::metrics::recorder::Recorder;
use crate::metrics::{WORKQUEUE_ADDS, WORKQUEUE_DEPTH, WORKQUEUE_RETRIES};
use crate::workqueue::{AddOpts, PriorityQueue};

const HOUR: Duration = Duration::from_secs(3600);

fn queue<T: Eq + Hash + Clone + Send + 'static>() -> (PriorityQueue<T>, Recorder) {
    let recorder = Recorder::default();
    let builder = PriorityQueue::builder().metrics("test", Arc::new(recorder.clone()));
    (builder.build_priority_queue(), recorder)
}

fn priority(priority: i32) -> AddOpts {
    AddOpts {
        priority,
        ..AddOpts::default()
    }
}

fn after(after: Duration) -> AddOpts {
    AddOpts {
        after,
        ..AddOpts::default()
    }
}

/// Returns the metrics as text: the depth of each priority, the number of adds and of delayed adds,
/// as in `[0:2 1:0] 3 adds 1 retries`.
fn measured(recorder: &Recorder) -> String {
    let depth: Vec<_> = recorder
        .by_last_label(&WORKQUEUE_DEPTH)
        .iter()
        .map(|(priority, keys)| format!("{priority}:{keys}"))
        .collect();
    let counted = |metric| recorder.value(metric, &["test", "test"]);
    let (adds, retries) = (counted(&WORKQUEUE_ADDS), counted(&WORKQUEUE_RETRIES));
    format!("[{}] {adds} adds {retries} retries", depth.join(" "))
}

#[tokio::test(start_paused = true)]
async fn high_priority_items_are_returned_before_low_priority_items_multiple_times() {
    const KEYS: i32 = 1000;
    const PRIORITIES: [i32; 5] = [10, 5, 0, -5, -10];
    for delay in [Duration::ZERO, Duration::from_secs(1)] {
        let (queue, recorder) = queue();
        for number in 0..KEYS {
            for priority in PRIORITIES {
                let opts = AddOpts {
                    after: delay,
                    rate_limited: false,
                    priority,
                };
                queue.add_with_opts(opts, [(priority, number)]);
            }
        }
        tokio::time::advance(delay).await;
        for priority in PRIORITIES {
            for number in 0..KEYS {
                // `await` resets the cooperative budget, which this number of gets would exceed.
                let item = queue.get().await.unwrap();
                assert_eq!((*item, item.priority()), ((priority, number), priority));
            }
        }
        let waited = if delay.is_zero() { 0 } else { 5 * KEYS };
        let expected = format!(
            "[-10:0 -5:0 0:0 10:0 5:0] {} adds {waited} retries",
            5 * KEYS
        );
        assert_eq!(measured(&recorder), expected);
    }
}

/// controller-runtime's queue would never hand out the keys of low priority
/// (controller-runtime#3496).
#[tokio::test(start_paused = true)]
async fn low_priority_keys_are_not_starved() {
    let builder = PriorityQueue::builder().oldest_every(4);
    let queue = builder.build_priority_queue();
    queue.add_with_opts(priority(-10), [(-10, 0), (-10, 1)]);
    queue.add_with_opts(priority(-5), [(-5, 2)]);
    let mut order = Vec::new();
    for number in 10..22 {
        queue.add((0, number));
        queue.add((0, number + 100));
        let item = queue.get().await.unwrap();
        assert_eq!(item.0, item.priority());
        order.push(item.1);
    }
    // The fourth, eighth and twelfth key are the oldest ones.
    assert_eq!(order, [10, 110, 11, 0, 111, 12, 112, 1, 13, 113, 14, 2]);
}

#[tokio::test(start_paused = true)]
async fn a_wait_for_a_key_does_not_count_as_a_key_of_oldest_every() {
    let queue = PriorityQueue::builder()
        .oldest_every(2)
        .build_priority_queue();
    let wait = tokio::time::timeout(Duration::from_secs(1), queue.get()).await;
    assert!(wait.is_err());
    queue.add_with_opts(priority(-100), ["low"]);
    queue.add("high");
    assert_eq!(*get(&queue), "high");
    assert_eq!(*get(&queue), "low");
}
