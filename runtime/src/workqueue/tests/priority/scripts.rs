//! Script tests of the priority queue: adds and gets step by step, and the metrics after them.

use std::collections::BTreeMap;
use std::time::Duration;

use super::{HOUR, get, measured, queue};
use crate::metrics::recorder::Recorder;
use crate::workqueue::AddOpts;

/// Description, steps on an empty queue, and expected metrics.
///
/// Steps are `add foo@2 in 3h`, `get foo@2`, `done foo`, `len 1` and `advance 3h`. The default
/// priority is 0, and the default delay is zero.
const SCRIPTS: &[[&str; 3]] = &[
    [
        "returns_an_item",
        "add foo, get foo",
        "[0:0] 1 adds 0 retries",
    ],
    [
        "returns_items_in_order",
        "add foo, add bar, get foo, get bar",
        "[0:0] 2 adds 0 retries",
    ],
    [
        "does_not_return_an_item_that_is_currently_locked",
        "add foo, get foo, add foo, add bar, get bar",
        "[0:1] 3 adds 0 retries",
    ],
    [
        "returns_an_item_as_soon_as_its_unlocked",
        "add foo, get foo, add foo, add bar, get bar, add baz, done foo, get foo",
        "[0:1] 4 adds 0 retries",
    ],
    [
        "de_duplicates_items",
        "add foo, add foo, len 1",
        "[0:1] 1 adds 0 retries",
    ],
    [
        "enqueues_a_locked_item",
        "add foo, len 1, get foo, add foo, len 1, done foo, get foo",
        "[0:0] 2 adds 0 retries",
    ],
    [
        "retains_the_highest_priority",
        "add foo@1, add foo@2, get foo@2, len 0",
        "[1:0 2:0] 1 adds 0 retries",
    ],
    [
        "will_not_decrease_the_priority",
        "add foo@2, add foo@1, get foo@2, len 0",
        "[2:0] 1 adds 0 retries",
    ],
    [
        "a_priority_is_that_of_one_turn",
        "add foo@7, get foo@7, add foo@-1, done foo, get foo@-1, done foo, add foo@-2, get foo@-2",
        "[-1:0 -2:0 7:0] 3 adds 0 retries",
    ],
    [
        "gets_pushed_to_the_front_if_the_priority_increases",
        "add foo, add bar, add baz, add baz@1, get baz@1, len 2",
        "[0:2 1:0] 3 adds 0 retries",
    ],
    [
        "retains_the_lowest_after_duration",
        "add foo, add foo in 1h, get foo, done foo, len 0, advance 1h, len 0",
        "[0:0] 1 adds 1 retries",
    ],
    [
        "retains_the_lowest_after_duration, of two delays",
        "add foo in 2h, add foo in 1h, add foo in 3h, advance 1h, get foo, done foo, advance 3h, len 0",
        "[0:0] 1 adds 3 retries",
    ],
    [
        "does_not_include_non_ready_items_in_len",
        "add foo in 1h, add baz, add bar in 1h, add bal, len 2",
        "[0:2] 2 adds 2 retries",
    ],
    [
        "follows_fifo_order_when_item_priority_changes",
        "add foo, add bar@1, add foo@1, len 2, get bar@1, len 1, get foo@1, len 0",
        "[0:0 1:0] 2 adds 0 retries",
    ],
    [
        "high_priority_item_that_became_ready_is_returned_before_low_priority_item",
        "add foo@-100, add prio in 1h, advance 1h, get prio",
        "[-100:1 0:0] 2 adds 1 retries",
    ],
    // Within a priority, the key that became ready first is handed out first, whatever the order of
    // adds.
    [
        "items_are_sorted_by_when_they_became_ready",
        "add late in 2h, add early in 1h, advance 1h, add now, advance 1h, get early, get now, get late",
        "[0:0] 3 adds 2 retries",
    ],
    // A key is ready when it is due, even if nobody uses the queue then.
    [
        "item_that_became_ready_while_every_worker_was_busy",
        "add busy, get busy, add due in 1h, advance 1h, add now, get due, get now",
        "[0:0] 3 adds 1 retries",
    ],
    [
        "item_that_became_ready_before_its_priority_increased",
        "add foo in 1h, add bar in 2h, advance 2h, add foo@1, add bar@1, get foo@1, get bar@1",
        "[0:0 1:0] 2 adds 2 retries",
    ],
    [
        "item_that_gets_initially_added_with_after_and_then_without, before that",
        "add foo in 1h, len 0",
        "[] 0 adds 1 retries",
    ],
    [
        "item_that_gets_initially_added_with_after_and_then_without",
        "add foo in 1h, add foo, len 1",
        "[0:1] 1 adds 1 retries",
    ],
    [
        "item_that_gets_initially_added_with_after_and_then_without, and is taken",
        "add foo in 1h, add foo, get foo, len 0",
        "[0:0] 1 adds 1 retries",
    ],
    [
        "item_that_gets_initially_added_with_after_and_then_without, and does not come at its first time",
        "add foo in 1h, add foo, get foo, done foo, advance 1h, len 0",
        "[0:0] 1 adds 1 retries",
    ],
    [
        "item_with_after_is_re_added_with_higher_priority_and_no_after",
        "add foo in 1h, len 0, add foo@1, len 1",
        "[1:1] 1 adds 1 retries",
    ],
    [
        "item_with_after_is_re_added_with_higher_priority_and_no_after, and is taken",
        "add foo in 1h, add foo@1, get foo@1, len 0",
        "[1:0] 1 adds 1 retries",
    ],
    [
        "items_are_included_in_len_and_metrics_once_they_are_ready",
        "add foo in 1h, add baz, add bar in 1h, add bal, len 2, advance 1h, len 4",
        "[0:4] 4 adds 2 retries",
    ],
    // The second round is the same as the first, so no state is left from it.
    [
        "items_are_included_in_len_and_metrics_once_they_are_ready, twice",
        "add foo in 1h, add baz, add bar in 1h, add bal, len 2, advance 1h, len 4, get baz, done baz, get bal, done bal, get foo, done foo, get bar, done bar, len 0, \
         add foo in 1h, add baz, add bar in 1h, add bal, len 2, advance 1h, len 4, get baz, done baz, get bal, done bal, get foo, done foo, get bar, done bar, len 0",
        "[0:0] 8 adds 4 retries",
    ],
    [
        "item_whose_requeue_after_expired_gets_added_again_without_requeue_after",
        "add foo in 1h, advance 1h, len 1, add foo, len 1",
        "[0:1] 1 adds 1 retries",
    ],
    [
        "a_locked_item_moves_between_priorities",
        "add foo, get foo, add foo, add foo@3, len 1",
        "[0:0 3:1] 2 adds 0 retries",
    ],
];

fn key(text: &str) -> (&str, i32) {
    match text.split_once('@') {
        Some((key, priority)) => (key, priority.parse().unwrap()),
        None => (text, 0),
    }
}

fn hours(text: &str) -> Duration {
    text.strip_suffix('h').unwrap().parse::<u32>().unwrap() * HOUR
}

async fn play(name: &str, steps: &'static str) -> Recorder {
    let (queue, recorder) = queue();
    let mut held = BTreeMap::new();
    for (number, step) in steps.split(", ").enumerate() {
        let at = || format!("{name}: step {number}, {step}");
        let words: Vec<_> = step.split(' ').collect();
        match *words {
            ["add", added, ref time @ ..] => {
                let (key, priority) = key(added);
                let after = match *time {
                    [] => Duration::ZERO,
                    ["in", time] => hours(time),
                    _ => panic!("{}", at()),
                };
                let opts = AddOpts {
                    after,
                    rate_limited: false,
                    priority,
                };
                queue.add_with_opts(opts, [key]);
            }
            ["get", expected] => {
                let item = get(&queue);
                assert_eq!((*item, item.priority()), key(expected), "{}", at());
                held.insert(*item, item);
            }
            ["done", key] => assert!(held.remove(key).is_some(), "{}", at()),
            ["len", keys] => assert_eq!(queue.len().to_string(), keys, "{}", at()),
            ["advance", time] => tokio::time::advance(hours(time)).await,
            _ => panic!("{}", at()),
        }
    }
    recorder
}

#[tokio::test(start_paused = true)]
async fn scripted_operations_have_the_expected_metrics() {
    for [name, steps, expected] in SCRIPTS {
        let recorder = play(name, steps).await;
        assert_eq!(measured(&recorder), *expected, "{name}");
    }
}
