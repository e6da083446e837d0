//! Tests of the watches of `for_condition`: client-go's `Until` and `RetryWatcher`.

use k8s_openapi::api::core::v1::ConfigMap;
use parking_lot::Mutex;
use serde_json::{Value, json};

use super::{Step, bookmark_json, check_scripts, event_json, failed_step, object_json, wait_for};

/// Cases of client-go's `Until`, and of `UntilWithSync` where `Until` fails.
#[tokio::test(start_paused = true)]
async fn watches_resume_at_the_last_resource_version() {
    use Step::{Break, List, Refuse, Watch, WatchAfter};
    let ready = || vec![object_json("ready")];
    let never = || event_json("MODIFIED", "waiting");
    check_scripts([
        (
            "the watch ends",
            vec![
                List(vec![]),
                Watch(vec![never()]),
                WatchAfter("11", vec![bookmark_json("15")]),
                WatchAfter("15", vec![event_json("MODIFIED", "ready")]),
            ],
            4,
        ),
        (
            "ready only between two watches",
            vec![
                List(vec![]),
                Watch(vec![]),
                Watch(vec![
                    event_json("ADDED", "ready"),
                    event_json("MODIFIED", "not any more"),
                ]),
            ],
            1,
        ),
        (
            "ready while the server is unavailable",
            vec![
                List(vec![]),
                Watch(vec![event_json("ADDED", "waiting")]),
                Break,
                Refuse(503),
                failed_step(500, "InternalError"),
                WatchAfter(
                    "11",
                    vec![
                        event_json("MODIFIED", "ready"),
                        event_json("DELETED", "ready"),
                    ],
                ),
            ],
            22,
        ),
        (
            "the watch is too far behind",
            vec![
                List(vec![]),
                Watch(vec![]),
                failed_step(410, "Expired"),
                List(ready()),
            ],
            4,
        ),
        (
            "the watch is refused as too far behind",
            vec![List(vec![]), Watch(vec![]), Refuse(410), List(ready())],
            4,
        ),
    ])
    .await;
}

/// Cases of client-go's `TestRetryWatcher` with several watches. Each case has a name, a script and
/// the versions of the objects that the condition is called with.
fn retry_watcher_cases() -> [(&'static str, Vec<Step>, &'static str); 7] {
    use Step::{Break, List, Watch, WatchAfter};
    let at = |version: &str| {
        let mut event = event_json("MODIFIED", version);
        event["object"]["metadata"]["resourceVersion"] = version.into();
        event
    };
    let error = |object: Value| json!({"type": "ERROR", "object": object});
    let status = |code: u16| error(json!({"kind": "Status", "apiVersion": "v1", "code": code}));
    let fails_with = |error: Value| {
        vec![
            List(vec![]),
            Watch(vec![at("16"), error]),
            WatchAfter("16", vec![at("17")]),
        ]
    };
    [
        (
            "watchClient returns error",
            vec![
                List(vec![]),
                Break,
                Watch(vec![at("16")]),
                Break,
                WatchAfter("16", vec![at("17")]),
            ],
            "16 17",
        ),
        ("timeout error", fails_with(status(504)), "16 17"),
        ("internal server error", fails_with(status(500)), "16 17"),
        ("unexpected error code", fails_with(status(666)), "16 17"),
        (
            "unexpected error type",
            fails_with(error(json!({}))),
            "16 17",
        ),
        (
            "4 closed watches",
            vec![
                List(vec![]),
                Watch(vec![at("15")]),
                WatchAfter("15", vec![at("16")]),
                WatchAfter("16", vec![at("17")]),
                WatchAfter("17", vec![at("21")]),
            ],
            "15 16 17 21",
        ),
        (
            "2 closed watches, 2+2+1 items",
            vec![
                List(vec![]),
                Watch(vec![at("12"), at("15")]),
                WatchAfter("15", vec![at("16"), at("17")]),
                WatchAfter("17", vec![at("21")]),
            ],
            "12 15 16 17 21",
        ),
    ]
}

#[tokio::test(start_paused = true)]
async fn retry_watcher() {
    for (name, script, expected) in retry_watcher_cases() {
        let seen = Mutex::new(Vec::new());
        let is_last = |object: Option<&ConfigMap>| {
            let data = object.and_then(|object| object.data.as_ref());
            seen.lock().extend(data.map(|data| data["state"].clone()));
            seen.lock().join(" ") == expected
        };
        let (waited, _) = wait_for(script, is_last).await;
        assert!(waited.is_ok_and(|found| found.is_some()), "{name}");
    }
}

/// A watch that sends an event or lasts as long as requested resets the backoff.
#[tokio::test(start_paused = true)]
async fn established_watches_reset_the_backoff() {
    use Step::{Break, Lasting, List, Refuse, Watch};
    let ready = || Watch(vec![event_json("MODIFIED", "ready")]);
    let after = |watches: Vec<Step>, failures: Vec<Step>| {
        let steps = [vec![List(vec![])], watches, failures, vec![ready()]];
        steps.into_iter().flatten().collect()
    };
    let quiet = || (0..8).map(|_| Lasting(30, vec![])).collect();
    let bookmarked = || {
        (0..8)
            .map(|_| Lasting(60, vec![bookmark_json("10")]))
            .collect()
    };
    check_scripts([
        (
            "watches without events",
            after(quiet(), vec![Break]),
            8 * 30 + 4,
        ),
        (
            "watches with bookmarks",
            after(bookmarked(), vec![Break]),
            8 * 60 + 4,
        ),
        (
            "long watch after failures",
            after(
                vec![],
                // The list confirms the version of the silent watch.
                vec![
                    Refuse(503),
                    Refuse(503),
                    Lasting(30, vec![]),
                    List(vec![]),
                    Break,
                ],
            ),
            2 + 4 + 30 + 2,
        ),
    ])
    .await;
}

/// A watch from a version that a restore of etcd has undone stays silent. Each case has a script,
/// and the range of its seconds.
#[tokio::test(start_paused = true)]
async fn restored_servers_are_listed_again() {
    use Step::{Break, List, ListAt, Refuse, Silence, Watch, WatchAfter};
    let ready = || vec![object_json("ready")];
    let restored = |failure: Step| {
        vec![
            List(vec![]),
            failure,
            Silence(vec![]),
            ListAt("5", vec![]),
            ListAt("5", ready()),
        ]
    };
    for (name, script, seconds) in [
        ("the watch fails", restored(Break), 5..16),
        ("the watch is refused", restored(Refuse(503)), 5..16),
        ("the watch ends early", restored(Watch(vec![])), 5..16),
        (
            "the object is seen by the next watch",
            vec![
                List(vec![]),
                Break,
                Silence(vec![]),
                ListAt("5", vec![]),
                ListAt("5", vec![]),
                WatchAfter("5", vec![event_json("ADDED", "ready")]),
            ],
            5..20,
        ),
        (
            "the version is the latest",
            vec![
                List(vec![]),
                Break,
                Silence(vec![]),
                List(vec![]),
                Watch(vec![event_json("ADDED", "ready")]),
            ],
            // Until the silent watch times out.
            40..46,
        ),
        (
            "the check fails",
            vec![
                List(vec![]),
                Break,
                Silence(vec![]),
                Refuse(503),
                Refuse(429),
                ListAt("5", vec![]),
                ListAt("5", ready()),
            ],
            15..36,
        ),
    ] {
        let (waited, took) = wait_for(script, super::is_ready).await;
        assert!(waited.unwrap().is_some(), "{name}");
        assert!(seconds.contains(&took), "{name}: {took} s");
    }
}
