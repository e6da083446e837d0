//! Reflector tests of requested resource versions and pages.

use serde_json::json;

use super::super::scripted::*;
use super::{check_lists, expired, pages, pods};

#[tokio::test(start_paused = true)]
async fn page_size_is_kept_for_every_version() {
    // TestReflectorWatchListPageSize
    let mut answers = vec![list("10", []), expired()];
    answers.extend(pages("10", "C1"));
    let lists = &[
        "list rv=0 limit=4",
        "list rv=10 limit=4 match=NotOlderThan",
        "list limit=4 continue=C1",
        "list limit=4 continue=C2",
    ];
    assert_eq!(check_lists(Some(4), answers, lists).await, pods(0..10));
}

#[tokio::test(start_paused = true)]
async fn lists_from_the_watch_cache_are_not_paged() {
    // TestReflectorNotPaginatingNotConsistentReads
    let all = pods(0..10);
    let all = list("10", all.iter().map(String::as_str));
    let answers = vec![list("10", []), expired(), all];
    let lists = &["list rv=0 limit=500", "list rv=10"];
    assert_eq!(check_lists(None, answers, lists).await, pods(0..10));
}

#[tokio::test(start_paused = true)]
async fn lists_are_paged_without_a_watch_cache() {
    // TestReflectorPaginatingNonConsistentReadsIfWatchCacheDisabled
    let mut answers = pages("10", "C1");
    answers.push(expired());
    answers.extend(pages("10", "C1"));
    let lists = &[
        "list rv=0 limit=500",
        "list limit=500 continue=C1",
        "list limit=500 continue=C2",
        "list rv=10 limit=500 match=NotOlderThan",
        "list limit=500 continue=C1",
        "list limit=500 continue=C2",
    ];
    assert_eq!(check_lists(None, answers, lists).await, pods(0..10));
}

#[tokio::test(start_paused = true)]
async fn relists_start_at_the_last_resource_version() {
    // TestReflectorResyncWithResourceVersion: "0", "10"
    // TestReflectorExpiredExactResourceVersion: "0", "10", ""
    let few = || list("10", ["a/pod-0@0"]);
    let more = || list("11", ["a/pod-0@0", "a/pod-1@1"]);
    for (answers, lists) in [
        (
            vec![few(), expired(), more()],
            &["list rv=0 limit=500", "list rv=10"] as &[_],
        ),
        (
            vec![few(), expired(), refuse(410, "Expired"), more()],
            &["list rv=0 limit=500", "list rv=10", "list limit=500"],
        ),
    ] {
        assert_eq!(check_lists(None, answers, lists).await, pods(0..2));
    }
}

#[tokio::test(start_paused = true)]
async fn expired_page_falls_back_to_one_full_list() {
    // TestReflectorFullListIfExpired: "0", "10", "", "10"
    let answers = vec![
        list("10", ["a/pod-0@0"]),
        expired(),
        page("11", ["a/pod-0@0"], "C1"),
        refuse(410, "Expired"),
        list("11", ["a/pod-0@0", "a/pod-1@1"]),
    ];
    let lists = &[
        "list rv=0 limit=4",
        "list rv=10 limit=4 match=NotOlderThan",
        "list limit=4 continue=C1",
        "list rv=10",
    ];
    assert_eq!(check_lists(Some(4), answers, lists).await, pods(0..2));
}

#[tokio::test(start_paused = true)]
async fn failed_page_restarts_the_paged_list() {
    let answers = vec![
        list("10", ["a/pod-0@0"]),
        expired(),
        page("11", ["a/pod-0@0"], "C1"),
        refuse(403, "Forbidden"),
        list("11", ["a/pod-0@0", "a/pod-1@1"]),
    ];
    let lists = &[
        "list rv=0 limit=4",
        "list rv=10 limit=4 match=NotOlderThan",
        "list limit=4 continue=C1",
        "list rv=10 limit=4 match=NotOlderThan",
    ];
    assert_eq!(check_lists(Some(4), answers, lists).await, pods(0..2));
}

#[tokio::test(start_paused = true)]
async fn too_large_resource_version_lists_the_latest() {
    // TestReflectorFullListIfTooLarge: "0", "20", "", "30", "", "40", "", with the messages of
    // three generations of servers
    let timeout = |message: &str, cause: serde_json::Value| {
        let details = json!({"causes": [cause]});
        let status = json!({"status": "Failure", "reason": "Timeout", "code": 504, "message": message, "details": details});
        body(504, status.to_string())
    };
    let answers = vec![
        list("20", []),
        expired(),
        timeout(
            "too large resource version",
            json!({"reason": "ResourceVersionTooLarge"}),
        ),
        list("30", []),
        expired(),
        timeout(
            "too large resource version",
            json!({"message": "Too large resource version"}),
        ),
        list("40", []),
        expired(),
        timeout("Too large resource version", json!({})),
        list("50", []),
    ];
    let lists = &[
        "list rv=0 limit=500",
        "list rv=20",
        "list limit=500",
        "list rv=30",
        "list limit=500",
        "list rv=40",
        "list limit=500",
    ];
    check_lists(None, answers, lists).await;
}
