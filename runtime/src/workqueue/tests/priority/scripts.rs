//! Adds, gets and what is measured then, step by step.

use std::collections::BTreeMap;
use std::time::Duration;

use super::{HOUR, get, measured, queue};
use crate::metrics::recorder::Recorder;
use crate::workqueue::AddOpts;

/// What it shows, what is done to an empty queue, and what is measured then.
///
/// Steps are `add foo@2 in 3h`, `get foo@2`, `done foo`, `len 1` and `advance 3h`. A key has priority 0 unless one is named, and is
/// added at once unless a time is.
const SCRIPTS: &[[&str; 3]] = &[
    [
        "returns an item",
        "add foo, get foo",
        "[0:0] 1 adds 0 retries",
    ],
    [
        "returns items in order",
        "add foo, add bar, get foo, get bar",
        "[0:0] 2 adds 0 retries",
    ],
    [
        "does not return an item that is currently locked",
        "add foo, get foo, add foo, add bar, get bar",
        "[0:1] 3 adds 0 retries",
    ],
    [
        "returns an item as soon as its unlocked",
        "add foo, get foo, add foo, add bar, get bar, add baz, done foo, get foo",
        "[0:1] 4 adds 0 retries",
    ],
    [
        "de-duplicates items",
        "add foo, add foo, len 1",
        "[0:1] 1 adds 0 retries",
    ],
    [
        "enqueues a locked item",
        "add foo, len 1, get foo, add foo, len 1, done foo, get foo",
        "[0:0] 2 adds 0 retries",
    ],
    [
        "retains the highest priority",
        "add foo@1, add foo@2, get foo@2, len 0",
        "[1:0 2:0] 1 adds 0 retries",
    ],
    [
        "will not decrease the priority",
        "add foo@2, add foo@1, get foo@2, len 0",
        "[2:0] 1 adds 0 retries",
    ],
    [
        "a priority is that of one turn",
        "add foo@7, get foo@7, add foo@-1, done foo, get foo@-1, done foo, add foo@-2, get foo@-2",
        "[-1:0 -2:0 7:0] 3 adds 0 retries",
    ],
    [
        "gets pushed to the front if the priority increases",
        "add foo, add bar, add baz, add baz@1, get baz@1, len 2",
        "[0:2 1:0] 3 adds 0 retries",
    ],
    [
        "retains the lowest after duration",
        "add foo, add foo in 1h, get foo, done foo, len 0, advance 1h, len 0",
        "[0:0] 1 adds 1 retries",
    ],
    [
        "retains the lowest after duration of several",
        "add foo in 2h, add foo in 1h, add foo in 3h, advance 1h, get foo, done foo, advance 3h, len 0",
        "[0:0] 1 adds 3 retries",
    ],
    [
        "does not include non-ready items in Len",
        "add foo in 1h, add baz, add bar in 1h, add bal, len 2",
        "[0:2] 2 adds 2 retries",
    ],
    [
        "follows FIFO order when item priority changes",
        "add foo, add bar@1, add foo@1, len 2, get bar@1, len 1, get foo@1, len 0",
        "[0:0 1:0] 2 adds 0 retries",
    ],
    [
        "a high priority item that became ready is returned before a low priority item",
        "add foo@-100, add prio in 1h, advance 1h, get prio",
        "[-100:1 0:0] 2 adds 1 retries",
    ],
    // Of one priority, what became ready first comes first, whatever was added first.
    [
        "items are sorted by when they became ready",
        "add late in 2h, add early in 1h, advance 1h, len 1, add now, advance 1h, get early, get now, get late",
        "[0:0] 3 adds 2 retries",
    ],
    [
        "an item that gets initially added with after",
        "add foo in 1h, len 0",
        "[] 0 adds 1 retries",
    ],
    [
        "an item that gets initially added with after and then without",
        "add foo in 1h, add foo, len 1",
        "[0:1] 1 adds 1 retries",
    ],
    [
        "the same, and is taken",
        "add foo in 1h, add foo, get foo, len 0",
        "[0:0] 1 adds 1 retries",
    ],
    [
        "the same, and does not come at its first time",
        "add foo in 1h, add foo, get foo, done foo, advance 1h, len 0",
        "[0:0] 1 adds 1 retries",
    ],
    [
        "an item with after is re-added with higher priority and no after",
        "add foo in 1h, len 0, add foo@1, len 1",
        "[1:1] 1 adds 1 retries",
    ],
    [
        "the same, and is taken",
        "add foo in 1h, add foo@1, get foo@1, len 0",
        "[1:0] 1 adds 1 retries",
    ],
    [
        "items are included in Len and metrics once they are ready",
        "add foo in 1h, add baz, add bar in 1h, add bal, len 2, advance 1h, len 4",
        "[0:4] 4 adds 2 retries",
    ],
    // What is remembered of the first time is not in the way of the second.
    [
        "the same, twice",
        "add foo in 1h, add baz, add bar in 1h, add bal, len 2, advance 1h, len 4, get baz, done baz, get bal, done bal, get foo, done foo, get bar, done bar, len 0, \
         add foo in 1h, add baz, add bar in 1h, add bal, len 2, advance 1h, len 4, get baz, done baz, get bal, done bal, get foo, done foo, get bar, done bar, len 0",
        "[0:0] 8 adds 4 retries",
    ],
    [
        "an item whose requeue after expired gets added again without requeue after",
        "add foo in 1h, advance 1h, len 1, add foo, len 1",
        "[0:1] 1 adds 1 retries",
    ],
    [
        "a locked item moves between priorities",
        "add foo, get foo, add foo, add foo@3, len 1",
        "[0:0 3:1] 2 adds 0 retries",
    ],
];

/// A key with its priority.
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
async fn scripts_are_played_as_they_say() {
    for [name, steps, expected] in SCRIPTS {
        let recorder = play(name, steps).await;
        assert_eq!(measured(&recorder), *expected, "{name}");
    }
}
