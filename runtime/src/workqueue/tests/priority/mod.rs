//! `priorityqueue_test.go` of controller-runtime, under the names of its cases.
//!
//! Most of them are a script: adds, gets and what is measured then.

mod fuzz;
mod metrics;
mod waiting;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use super::get;
use crate::metrics::recorder::Recorder;
use crate::metrics::{WORKQUEUE_ADDS, WORKQUEUE_DEPTH, WORKQUEUE_RETRIES};
use crate::workqueue::{AddOpts, Item, PriorityQueue};

const HOUR: Duration = Duration::from_secs(3600);

/// A step of a script.
enum Step {
    /// Adds a key with a priority, after a time.
    Add(&'static str, i32, Duration),
    /// Gets a key, which has to be this one with that priority.
    Get(&'static str, i32),
    /// Is done with a key.
    Done(&'static str),
    Len(usize),
    Advance(Duration),
}
use Step::{Add, Advance, Done, Get, Len};

fn queue() -> (PriorityQueue<&'static str>, Recorder) {
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

/// Plays a script, and compares what is queued by priority, how many keys were added and how many had to wait.
async fn play(
    steps: &[Step],
    depth: impl IntoIterator<Item = (i32, usize)>,
    adds: usize,
    retries: usize,
) {
    let (queue, recorder) = queue();
    let mut held = BTreeMap::<&str, Item<&str>>::new();
    for (number, step) in steps.iter().enumerate() {
        match *step {
            Add(key, priority, after) => {
                let opts = AddOpts {
                    after,
                    rate_limited: false,
                    priority,
                };
                queue.add_with_opts(opts, [key]);
            }
            Get(key, priority) => {
                let item = get(&queue);
                assert_eq!((*item, item.priority()), (key, priority), "step {number}");
                held.insert(key, item);
            }
            Done(key) => drop(held.remove(key)),
            Len(expected) => assert_eq!(queue.len(), expected, "step {number}"),
            Advance(by) => tokio::time::advance(by).await,
        }
    }
    check_metrics(&recorder, depth, adds, retries);
}

#[track_caller]
fn check_metrics(
    recorder: &Recorder,
    depth: impl IntoIterator<Item = (i32, usize)>,
    adds: usize,
    retries: usize,
) {
    let depth: BTreeMap<_, _> = depth
        .into_iter()
        .map(|(priority, keys)| (priority.to_string(), keys as f64))
        .collect();
    assert_eq!(recorder.by_last_label(&WORKQUEUE_DEPTH), depth);
    let labels = &["test", "test"];
    let counted =
        [&WORKQUEUE_ADDS, &WORKQUEUE_RETRIES].map(|metric| recorder.value(metric, labels));
    assert_eq!(counted, [adds as f64, retries as f64], "adds and retries");
}

const NOW: Duration = Duration::ZERO;

#[tokio::test(start_paused = true)]
async fn returns_an_item() {
    play(&[Add("foo", 0, NOW), Get("foo", 0)], [(0, 0)], 1, 0).await;
}

#[tokio::test(start_paused = true)]
async fn returns_items_in_order() {
    let steps = [
        Add("foo", 0, NOW),
        Add("bar", 0, NOW),
        Get("foo", 0),
        Get("bar", 0),
    ];
    play(&steps, [(0, 0)], 2, 0).await;
}

#[tokio::test(start_paused = true)]
async fn does_not_return_an_item_that_is_currently_locked() {
    let steps = [
        Add("foo", 0, NOW),
        Get("foo", 0),
        Add("foo", 0, NOW),
        Add("bar", 0, NOW),
        Get("bar", 0),
    ];
    play(&steps, [(0, 1)], 3, 0).await;
}

#[tokio::test(start_paused = true)]
async fn returns_an_item_as_soon_as_its_unlocked() {
    let steps = [
        Add("foo", 0, NOW),
        Get("foo", 0),
        Add("foo", 0, NOW),
        Add("bar", 0, NOW),
        Get("bar", 0),
        Add("baz", 0, NOW),
        Done("foo"),
        Get("foo", 0),
    ];
    play(&steps, [(0, 1)], 4, 0).await;
}

#[tokio::test(start_paused = true)]
async fn de_duplicates_items() {
    let steps = [Add("foo", 0, NOW), Add("foo", 0, NOW), Len(1)];
    play(&steps, [(0, 1)], 1, 0).await;
}

#[tokio::test(start_paused = true)]
async fn enqueues_a_locked_item() {
    let steps = [
        Add("foo", 0, NOW),
        Len(1),
        Get("foo", 0),
        Add("foo", 0, NOW),
        Len(1),
        Done("foo"),
        Get("foo", 0),
    ];
    play(&steps, [(0, 0)], 2, 0).await;
}

#[tokio::test(start_paused = true)]
async fn retains_the_highest_priority() {
    let steps = [
        Add("foo", 1, NOW),
        Add("foo", 2, NOW),
        Get("foo", 2),
        Len(0),
    ];
    play(&steps, [(1, 0), (2, 0)], 1, 0).await;
}

#[tokio::test(start_paused = true)]
async fn will_not_decrease_the_priority() {
    let steps = [
        Add("foo", 2, NOW),
        Add("foo", 1, NOW),
        Get("foo", 2),
        Len(0),
    ];
    play(&steps, [(2, 0)], 1, 0).await;
}

#[tokio::test(start_paused = true)]
async fn a_priority_is_that_of_one_turn() {
    let steps = [
        Add("foo", 7, NOW),
        Get("foo", 7),
        Add("foo", -1, NOW),
        Done("foo"),
        Get("foo", -1),
        Done("foo"),
        Add("foo", -2, NOW),
        Get("foo", -2),
    ];
    play(&steps, [(7, 0), (-1, 0), (-2, 0)], 3, 0).await;
}

#[tokio::test(start_paused = true)]
async fn gets_pushed_to_the_front_if_the_priority_increases() {
    let steps = [
        Add("foo", 0, NOW),
        Add("bar", 0, NOW),
        Add("baz", 0, NOW),
        Add("baz", 1, NOW),
        Get("baz", 1),
        Len(2),
    ];
    play(&steps, [(0, 2), (1, 0)], 3, 0).await;
}

#[tokio::test(start_paused = true)]
async fn retains_the_lowest_after_duration() {
    let steps = [
        Add("foo", 0, NOW),
        Add("foo", 0, HOUR),
        Get("foo", 0),
        Done("foo"),
        Len(0),
        Advance(HOUR),
        Len(0),
    ];
    play(&steps, [(0, 0)], 1, 1).await;
    let steps = [
        Add("foo", 0, 2 * HOUR),
        Add("foo", 0, HOUR),
        Add("foo", 0, 3 * HOUR),
        Advance(HOUR),
        Get("foo", 0),
        Done("foo"),
        Advance(3 * HOUR),
        Len(0),
    ];
    play(&steps, [(0, 0)], 1, 3).await;
}

#[tokio::test(start_paused = true)]
async fn does_not_include_non_ready_items_in_len() {
    let steps = [
        Add("foo", 0, HOUR),
        Add("baz", 0, NOW),
        Add("bar", 0, HOUR),
        Add("bal", 0, NOW),
        Len(2),
    ];
    play(&steps, [(0, 2)], 2, 2).await;
}

#[tokio::test(start_paused = true)]
async fn follows_fifo_order_when_item_priority_changes() {
    let steps = [
        Add("foo", 0, NOW),
        Add("bar", 1, NOW),
        Add("foo", 1, NOW),
        Len(2),
        Get("bar", 1),
        Len(1),
        Get("foo", 1),
        Len(0),
    ];
    play(&steps, [(0, 0), (1, 0)], 2, 0).await;
}

#[tokio::test(start_paused = true)]
async fn high_priority_items_are_returned_before_low_priority_items_multiple_times() {
    const KEYS: i32 = 1000;
    const PRIORITIES: [i32; 5] = [10, 5, 0, -5, -10];
    for delay in [Duration::ZERO, Duration::from_secs(1)] {
        let recorder = Recorder::default();
        let builder = PriorityQueue::builder().metrics("test", Arc::new(recorder.clone()));
        let queue = builder.build_priority_queue();
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
                // Awaited, as so many gets are more than a task may do at once.
                let item = queue.get().await.unwrap();
                assert_eq!((*item, item.priority()), ((priority, number), priority));
            }
        }
        let waited = if delay.is_zero() {
            0
        } else {
            5 * KEYS as usize
        };
        check_metrics(
            &recorder,
            PRIORITIES.map(|priority| (priority, 0)),
            5 * KEYS as usize,
            waited,
        );
    }
}

#[tokio::test(start_paused = true)]
async fn high_priority_item_that_became_ready_is_returned_before_low_priority_item() {
    let steps = [
        Add("foo", -100, NOW),
        Add("prio", 0, HOUR),
        Advance(HOUR),
        Get("prio", 0),
    ];
    play(&steps, [(-100, 1), (0, 0)], 2, 1).await;
}

/// Of one priority, what became ready first comes first, whatever was added first.
#[tokio::test(start_paused = true)]
async fn items_are_sorted_by_when_they_became_ready() {
    let steps = [
        Add("late", 0, 2 * HOUR),
        Add("early", 0, HOUR),
        Advance(HOUR),
        Len(1),
        Add("now", 0, NOW),
        Advance(HOUR),
        Get("early", 0),
        Get("now", 0),
        Get("late", 0),
    ];
    play(&steps, [(0, 0)], 3, 2).await;
}
