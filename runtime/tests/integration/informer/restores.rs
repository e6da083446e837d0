//! Tests of resource versions that go back, as after a restore of etcd from a backup.

use genclient::cache::ObjectName;
use genclient::informer::{ListWatchError, ProgressError, SharedInformer};
use k8s_openapi::api::core::v1::ConfigMap;
use tokio::time::{Instant, sleep};

use super::scripted::*;
use super::{Recorder, cached, informer, seconds};

/// The first connection: two objects at version 100, and a watch that ends early.
fn first() -> Answer {
    let lines = [
        added("a/one@80"),
        added("a/two@90"),
        initial_events_end("100"),
    ];
    stream(lines).broken()
}

/// The restored server sends nothing to a watch from a version that it has not reached.
#[tokio::test(start_paused = true)]
async fn silent_watch_from_a_future_version_leads_to_a_relist() {
    let api = Api::new();
    let relist = stream([added("a/one@30"), initial_events_end("41")]);
    api.answer([first(), stream([]), list("40", ["a/one@30"]), relist]);
    let (factory, informer) = informer(&api);
    let errors = Recorder::default();
    let written = errors.clone();
    informer
        .set_watch_error_handler(move |error| {
            assert!(matches!(error, ListWatchError::WentBack { .. }));
            written.write(error.to_string());
        })
        .unwrap();
    factory.start();
    factory.wait_for_cache_sync().await.unwrap();
    assert_eq!(informer.restored_at(None), None);
    let begun = Instant::now();
    eventually(|| informer.restored_at(None).is_some()).await;
    let took = begun.elapsed();
    assert!((seconds(5)..seconds(12)).contains(&took), "{took:?}");
    assert_eq!(cached(&informer), ["a/one@30"]);
    assert_eq!(informer.last_resource_version().as_deref(), Some("41"));
    assert_eq!(
        api.requests(),
        ["watch-list", "watch rv=100", "list limit=1", "watch-list"]
    );
    assert_eq!(
        errors.take(),
        ["resource versions went back from 100 to 40"]
    );
    factory.shutdown().await;
}

/// Each case: what follows the early end of the watch, and the requests within five minutes.
#[tokio::test(start_paused = true)]
async fn relists_only_if_a_consistent_read_is_older() {
    let checked = ["watch rv=100", "list limit=1"];
    let cases: [(&str, Vec<Answer>, &[&str]); 7] = [
        ("newer", vec![stream([]), list("120", [])], &checked),
        ("the same", vec![stream([]), list("100", [])], &checked),
        ("incomparable", vec![stream([]), list("x", [])], &checked),
        (
            "not allowed",
            vec![stream([]), refuse(403, "Forbidden")],
            &checked,
        ),
        (
            "checked again after a failure",
            vec![stream([]), refuse(500, "InternalError"), list("100", [])],
            &["watch rv=100", "list limit=1", "list limit=1"],
        ),
        (
            "an event shows that the version is reached",
            vec![stream([added("a/three@101")])],
            &["watch rv=100"],
        ),
        (
            "a bookmark, too",
            vec![stream([bookmark("101")])],
            &["watch rv=100"],
        ),
    ];
    for (name, answers, expected) in cases {
        let api = Api::new();
        api.answer([first()].into_iter().chain(answers));
        let (factory, informer) = informer(&api);
        factory.start();
        sleep(seconds(100)).await;
        assert_eq!(api.requests()[1..], *expected, "{name}");
        assert_eq!(informer.restored_at(None), None, "{name}");
        assert!(cached(&informer).len() >= 2, "{name}");
        factory.shutdown().await;
    }
}

/// A bookmark is no proof: another API server behind the same address may lag behind.
#[tokio::test(start_paused = true)]
async fn older_bookmark_is_checked() {
    for (latest, is_restored) in [("100", false), ("60", true)] {
        let api = Api::new();
        let (feed, answer) = feed();
        let relist = stream([added("a/one@30"), initial_events_end("61")]);
        api.answer([answer, list(latest, []), relist]);
        let (factory, informer) = informer(&api);
        factory.start();
        feed.line(added("a/two@90"));
        feed.line(initial_events_end("100"));
        feed.line(bookmark("60"));
        settle().await;
        assert_eq!(informer.last_resource_version().as_deref(), Some("100"));
        sleep(seconds(20)).await;
        assert_eq!(informer.restored_at(None).is_some(), is_restored);
        let (version, object) = if is_restored {
            ("61", "a/one@30")
        } else {
            ("100", "a/two@90")
        };
        assert_eq!(informer.last_resource_version().as_deref(), Some(version));
        assert_eq!(cached(&informer), [object]);
        factory.shutdown().await;
    }
}

/// A list at the known version fails, and the list of the latest version is older.
#[tokio::test(start_paused = true)]
async fn older_list_voids_known_versions() {
    let api = Api::new();
    let relist = stream([added("a/one@30"), initial_events_end("41")]);
    api.answer([
        first(),
        refuse(410, "Expired"),
        refuse(410, "Expired"),
        relist,
    ]);
    let (factory, informer) = informer(&api);
    factory.start();
    let begun = Instant::now();
    eventually(|| informer.restored_at(None).is_some()).await;
    assert!(informer.restored_at(None).unwrap() >= begun);
    assert_eq!(informer.restored_at(Some("a")), informer.restored_at(None));
    assert_eq!(cached(&informer), ["a/one@30"]);
    assert_eq!(
        api.requests()[1..],
        ["watch rv=100", "watch-list rv=100", "watch-list"]
    );
    factory.shutdown().await;
}

/// A version that was known before the restore is void, even if it is lower than the latest one of
/// the cache. The wait for a version that the cache has is over.
#[tokio::test(start_paused = true)]
async fn waits_for_void_versions_end() {
    let api = Api::new();
    let relist = stream([added("a/one@30"), initial_events_end("41")]);
    api.answer([first(), stream([]), list("40", []), relist]);
    let (factory, informer) = informer(&api);
    factory.start();
    factory.wait_for_cache_sync().await.unwrap();
    let mut written = cached_one(&informer);
    written.metadata.resource_version = Some("105".to_owned());
    let begun = Instant::now();
    let (version, write) = tokio::join!(
        informer.wait_for_resource_version("102"),
        informer.wait_for_write(&written)
    );
    assert!(begun.elapsed() < seconds(12));
    assert_eq!(
        version.unwrap_err().to_string(),
        "resource versions of configmaps.v1 went back, so that version 102 is void"
    );
    let is_void = |error: &ProgressError| matches!(error, ProgressError::WentBack { .. });
    assert!(is_void(&write.unwrap_err()));
    informer.wait_for_resource_version("41").await.unwrap();
    factory.shutdown().await;
}

fn cached_one(informer: &SharedInformer<ConfigMap>) -> ConfigMap {
    let name = ObjectName::namespaced("a", "one");
    (*informer.indexer().get(&name).unwrap()).clone()
}
