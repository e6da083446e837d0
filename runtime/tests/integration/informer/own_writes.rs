//! Tests of reading own writes: waiting until the cache has reached a resource version.

use std::error::Error;

use genclient::informer::ProgressError;
use k8s_openapi::api::core::v1::ConfigMap;
use tokio::time::timeout;

use super::scripted::*;
use super::{describe, informer, informer_with, seconds};

/// Returns the object that a write of `namespace/name@version` returned.
fn written(text: &str) -> ConfigMap {
    let (name, version) = text.split_once('@').unwrap();
    let (namespace, name) = name.split_once('/').unwrap();
    let mut object = ConfigMap::default();
    object.metadata.namespace = Some(namespace.into());
    object.metadata.name = Some(name.into());
    object.metadata.resource_version = Some(version.into());
    object
}

#[tokio::test(start_paused = true)]
async fn wait_for_write_ends_at_the_same_or_a_newer_version() {
    for (line, expected) in [
        (added("a/one@12"), Some("a/one@12")),
        (added("a/one@100"), Some("a/one@100")),
        // Another object, or a bookmark, also shows that the version is reached.
        (added("a/two@13"), None),
        (bookmark("12"), None),
        (deleted("a/one@14"), None),
    ] {
        let api = Api::new();
        let (feed, answer) = feed();
        api.answer([answer]);
        let (factory, informer) = informer(&api);
        factory.start();
        let object = written("a/one@12");
        let waiting = informer.wait_for_write(&object);
        let feeding = async {
            feed.line(initial_events_end("9"));
            settle().await;
            feed.line(added("a/other@11"));
            tokio::time::sleep(seconds(20)).await;
            feed.line(line);
        };
        let begun = tokio::time::Instant::now();
        let (cached, ()) = tokio::join!(waiting, feeding);
        assert!(begun.elapsed() >= seconds(20));
        let cached = cached.unwrap().map(|object| describe(&object));
        assert_eq!(cached.as_deref(), expected);
        // A version that is already cached returns at once.
        informer.wait_for_resource_version("12").await.unwrap();
        informer.wait_for_write(&object).await.unwrap();
        factory.shutdown().await;
    }
}

#[tokio::test(start_paused = true)]
async fn wait_for_an_undecodable_write_is_an_error() {
    for (first, line, expected) in [
        (Some("a/one@8"), modified("a/one@12!"), None),
        (None, added("a/one@12!"), None),
        (Some("a/one@8"), modified("a/one@13!"), None),
        // The unreadable object is newer than the write, which is cached.
        (Some("a/one@12"), modified("a/one@13!"), Some("a/one@12")),
        (Some("a/one@8"), deleted("a/one@13!"), Some("nothing")),
    ] {
        let api = Api::new();
        let lines = first
            .map(added)
            .into_iter()
            .chain([initial_events_end("12"), line.clone()]);
        api.answer([stream(lines)]);
        let (factory, informer) = informer(&api);
        factory.start();
        factory.wait_for_cache_sync().await.unwrap();
        settle().await;
        let read = informer.wait_for_write(&written("a/one@12")).await;
        match (read, expected) {
            (Ok(object), Some(expected)) => {
                let object = object.map_or("nothing".to_owned(), |object| describe(&object));
                assert_eq!(object, expected, "{line}");
            }
            (Err(error), None) => {
                let expected = "configmaps.v1 `a/one` cannot be decoded: .data: invalid type";
                assert!(error.to_string().starts_with(expected), "{error}");
            }
            (read, _) => panic!("{line}: {read:?}"),
        }
        factory.shutdown().await;
    }
}

#[tokio::test(start_paused = true)]
async fn list_satisfies_a_wait_for_a_write() {
    let api = Api::new();
    api.answer([
        stream([initial_events_end("10")]).end(),
        refuse(410, "Expired"),
        stream([added("a/one@12"), initial_events_end("20")]),
    ]);
    let (factory, informer) = informer(&api);
    factory.start();
    let object = informer.wait_for_write(&written("a/one@12")).await;
    assert_eq!(describe(&object.unwrap().unwrap()), "a/one@12");
    factory.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn wait_for_write_considers_only_its_namespace() {
    let api = Api::new();
    let ((in_a, answer_a), (in_b, answer_b)) = (feed(), feed());
    api.answer_in("a", [answer_a]);
    api.answer_in("b", [answer_b]);
    let (factory, informer) = informer_with(&api, |builder| builder.namespaces(["a", "b"]));
    factory.start();
    in_a.line(initial_events_end("10"));
    in_a.line(added("a/one@12"));
    // Namespace `b` is not even listed yet.
    let cached = informer.wait_for_write(&written("a/one@12")).await.unwrap();
    assert!(cached.is_some());
    let both = informer.wait_for_resource_version("12");
    let both = timeout(seconds(100), both);
    let feeding = async {
        in_b.line(initial_events_end("11"));
        tokio::time::sleep(seconds(50)).await;
        in_b.line(bookmark("12"));
    };
    let (both, ()) = tokio::join!(both, feeding);
    both.unwrap().unwrap();
    let error = informer.wait_for_write(&written("c/one@1")).await;
    assert_eq!(
        error.unwrap_err().to_string(),
        "the informer of configmaps.v1 does not cache namespace `c`"
    );
    factory.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn invalid_resource_versions_fail_immediately() {
    let api = Api::new();
    let (factory, informer) = informer(&api);
    for version in ["", "0", "007", "latest"] {
        let error = informer
            .wait_for_resource_version(version)
            .await
            .unwrap_err();
        assert_eq!(
            error.to_string(),
            "cannot wait for the cache of configmaps.v1"
        );
        assert_eq!(
            error.source().unwrap().to_string(),
            format!("resource version is not well formed: {version}")
        );
    }
    // An API server whose versions are not numbers, as with a few aggregated ones.
    api.answer([stream([initial_events_end("x-10")])]);
    factory.start();
    factory.wait_for_cache_sync().await.unwrap();
    let error = informer.wait_for_resource_version("10").await.unwrap_err();
    assert!(matches!(error, ProgressError::Incomparable { .. }));
    factory.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn wait_for_resource_version_fails_when_stopped() {
    let api = Api::new();
    api.answer([stream([initial_events_end("10")])]);
    let (factory, informer) = informer(&api);
    factory.start();
    let waiting = informer.wait_for_resource_version("11");
    let stopping = async {
        settle().await;
        informer.shutdown().await;
    };
    let (waited, ()) = tokio::join!(waiting, stopping);
    let error = waited.unwrap_err();
    assert_eq!(
        error.to_string(),
        "the informer of configmaps.v1 has stopped"
    );
    factory.shutdown().await;
}
