//! Tests of waiting for the first sync, and of its errors.

use std::error::Error;
use std::time::Duration;

use genclient::informer::SyncError;
use genclient::scheme::GroupVersionResource;
use kube::core::{ApiResource, DynamicObject};
use tokio::time::Instant;

use super::scripted::*;
use super::{Recorder, informer, informer_with, seconds};

/// Answers every request with `answer`. Returns the messages of the error and its source, and the
/// elapsed time.
async fn refused(answer: impl Fn() -> Answer) -> (String, String, Duration) {
    let api = Api::new();
    api.answer((0..100).map(|_| answer()));
    let (factory, _informer) = informer(&api);
    let begun = Instant::now();
    factory.start();
    let error = factory.wait_for_cache_sync().await.unwrap_err();
    let took = begun.elapsed();
    factory.shutdown().await;
    (error.to_string(), error.source().unwrap().to_string(), took)
}

#[tokio::test(start_paused = true)]
async fn permanent_errors_fail_the_sync_with_a_hint() {
    for (answer, hint, source) in [
        (
            (400, "BadRequest"),
            "the API server rejected the request as invalid; check the selectors",
            "the API server returned 400 BadRequest: told to say BadRequest",
        ),
        (
            (401, "Unauthorized"),
            "the API server rejected the credentials; they may be invalid or expired",
            "the API server returned 401 Unauthorized: told to say Unauthorized",
        ),
        (
            (403, "Forbidden"),
            "a permission is missing; grant it through a ClusterRole with the rule \
             {apiGroups: [\"\"], resources: [\"configmaps\"], verbs: [\"list\", \"watch\"]}",
            "the API server returned 403 Forbidden: told to say Forbidden",
        ),
        (
            (404, "NotFound"),
            "the API server does not serve it; is version `v1` of its API enabled?",
            "the API server returned 404 NotFound: told to say NotFound",
        ),
        (
            (405, "MethodNotAllowed"),
            "the API server does not allow list and watch",
            "the API server returned 405 MethodNotAllowed: told to say MethodNotAllowed",
        ),
    ] {
        let (error, cause, took) = refused(|| refuse(answer.0, answer.1)).await;
        assert_eq!(error, format!("configmaps.v1 cannot be cached: {hint}"));
        assert_eq!(cause, source);
        assert!(took >= seconds(10) && took < seconds(11), "{took:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn invalid_list_responses_fail_the_sync() {
    for (text, found) in [
        ("<html>", "expected value at line 1 column 1"),
        ("{}", "JSON without items"),
        (
            r#"{"it\u0065ms":[{"metadata":{"name":"a"}}]}"#,
            "items that cannot be decoded",
        ),
        (
            r#"{"kind":"Table"}"#,
            "an object of kind `Table`, without items",
        ),
        (
            r#"{"kind":"PodMetricsList","apiVersion":"metrics.k8s.io/v1","items":[]}"#,
            "a `PodMetricsList` of `metrics.k8s.io/v1`",
        ),
    ] {
        let (error, cause, _) = refused(|| body(200, text)).await;
        assert_eq!(
            error,
            "configmaps.v1 cannot be cached: the response is not from a Kubernetes API server; check the address"
        );
        assert_eq!(cause, format!("the response is not a list: {found}"));
    }
}

#[tokio::test(start_paused = true)]
async fn untrusted_certificate_fails_the_sync() {
    let (error, cause, took) = refused(untrusted_connection).await;
    assert_eq!(
        error,
        "configmaps.v1 cannot be cached: TLS failed; check the certificate authority and \
         the address of the API server"
    );
    assert_eq!(cause, "the API server cannot be reached");
    assert!(took >= seconds(10) && took < seconds(11), "{took:?}");
}

#[tokio::test(start_paused = true)]
async fn proxy_errors_are_reported_with_code_and_text() {
    let (_, cause, _) = refused(|| body(404, "404 page not found\n")).await;
    assert_eq!(
        cause,
        "the API server returned 404 NotFound: 404 page not found"
    );
}

#[tokio::test(start_paused = true)]
async fn permission_granted_within_the_grace_period_syncs() {
    let api = Api::new();
    let forbidden = || refuse(403, "Forbidden");
    api.answer([forbidden(), forbidden(), forbidden(), forbidden()]);
    api.answer([stream([initial_events_end("10")])]);
    let (factory, _informer) = informer(&api);
    factory.start();
    assert_eq!(factory.wait_for_cache_sync().await.unwrap().skipped(), 0);
    factory.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn informer_continues_after_a_failed_sync_wait() {
    let api = Api::new();
    api.answer((0..40).map(|_| refuse(404, "NotFound")));
    api.answer([stream([initial_events_end("10")])]);
    let (factory, _informer) = informer_with(&api, |builder| builder.sync_grace(seconds(1)));
    factory.start();
    factory.wait_for_cache_sync().await.unwrap_err();
    eventually(|| api.requests().len() == 41).await;
    factory.wait_for_cache_sync().await.unwrap();
    factory.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn granted_permission_is_detected_at_the_first_object() {
    let whole = match list("10", ["a/one@1"]) {
        Answer::Body { mut pieces, .. } => pieces.recv().await.unwrap().unwrap(),
        _ => unreachable!("a list has a body"),
    };
    let whole = String::from_utf8(whole.to_vec()).unwrap();
    let items_end = whole.find("}],\"kind\":\"ConfigMapList\"").unwrap() + 1;
    for (is_streamed, pieces) in [
        (
            true,
            [added("a/one@1") + "\n", initial_events_end("10") + "\n"],
        ),
        (
            false,
            [whole[..items_end].into(), whole[items_end..].into()],
        ),
    ] {
        let api = Api::new();
        let (feed, answer) = feed();
        // Each round ends with a list, streamed or not.
        let forbidden = if is_streamed { 2 } else { 1 };
        api.answer((0..forbidden).map(|_| refuse(403, "Forbidden")));
        api.answer([answer]);
        let (factory, _informer) = informer_with(&api, |builder| builder.watch_list(is_streamed));
        factory.start();
        let wait = tokio::spawn({
            let factory = factory.clone();
            async move { factory.wait_for_cache_sync().await }
        });
        api.asked(forbidden + 1).await;
        feed.piece(&*pieces[0]);
        tokio::time::sleep(seconds(20)).await;
        assert!(!wait.is_finished(), "streamed: {is_streamed}");
        feed.piece(&*pieces[1]);
        drop(feed);
        wait.await.unwrap().unwrap();
        factory.shutdown().await;
    }
}

#[tokio::test(start_paused = true)]
async fn each_wait_grants_the_grace_period() {
    let api = Api::new();
    api.answer((0..100).map(|_| refuse(403, "Forbidden")));
    let (factory, _informer) = informer(&api);
    factory.start();
    for _ in 0..3 {
        let begun = Instant::now();
        factory.wait_for_cache_sync().await.unwrap_err();
        assert!(begun.elapsed() >= seconds(10), "{:?}", begun.elapsed());
    }
    factory.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn durations_may_be_unlimited() {
    let api = Api::new();
    api.answer([refuse(403, "Forbidden"), refuse(403, "Forbidden")]);
    api.answer([stream([initial_events_end("10")])]);
    let (factory, informer) = informer_with(&api, |builder| {
        builder
            .sync_grace(Duration::MAX)
            .sync_timeout(Duration::MAX)
            .min_watch_timeout(Duration::MAX)
            .resync(Duration::MAX)
    });
    let registration = informer.add_handler(Recorder::default()).unwrap();
    factory.start();
    factory.wait_for_cache_sync().await.unwrap();
    settle().await;
    assert!(registration.has_synced());
    factory.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn transient_errors_are_retried_until_synced() {
    let api = Api::new();
    api.answer((0..20).map(|_| refused_connection()));
    api.answer((0..20).map(|_| refuse(503, "ServiceUnavailable")));
    api.answer((0..20).map(|_| refuse(429, "TooManyRequests")));
    api.answer([stream([initial_events_end("10")])]);
    let (factory, _informer) = informer(&api);
    let begun = Instant::now();
    factory.start();
    factory.wait_for_cache_sync().await.unwrap();
    // One attempt per second; after a 503, an attempt consists of a stream and a list.
    assert!(
        begun.elapsed() >= seconds(20 + 10 + 20),
        "{:?}",
        begun.elapsed()
    );
    factory.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn sync_timeout_reports_the_last_cause() {
    for (answers, source) in [
        (vec![], None),
        (
            vec![refused_connection()],
            Some("the API server cannot be reached"),
        ),
        (
            vec![stream([]).end()],
            Some("very short watch: it lasted less than a second and no events were received"),
        ),
    ] {
        let api = Api::new();
        api.answer(answers);
        let (factory, _informer) = informer_with(&api, |builder| builder.sync_timeout(seconds(5)));
        factory.start();
        let begun = Instant::now();
        let error = factory.wait_for_cache_sync().await.unwrap_err();
        assert_eq!(begun.elapsed().as_secs(), 5);
        assert_eq!(
            error.to_string(),
            "the cache of configmaps.v1 did not sync within 5 s"
        );
        assert_eq!(error.source().map(ToString::to_string).as_deref(), source);
        factory.shutdown().await;
    }
}

#[tokio::test(start_paused = true)]
async fn sync_timeout_reports_an_endless_streamed_list() {
    let api = Api::new();
    let (feed, answer) = feed();
    api.answer([answer]);
    let (factory, _informer) = informer_with(&api, |builder| builder.sync_timeout(seconds(59)));
    factory.start();
    let changes = async {
        for version in 1.. {
            feed.line(added(&format!("a/one-{version}@{version}")));
            tokio::time::sleep(seconds(5)).await;
        }
    };
    let error = tokio::select! {
        () = changes => unreachable!("it has no end"),
        synced = factory.wait_for_cache_sync() => synced.unwrap_err(),
    };
    assert_eq!(
        error.source().unwrap().to_string(),
        "the list is still incomplete after 50 s"
    );
    assert_eq!(api.requests(), ["watch-list"]);
    factory.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn forbidden_namespace_is_named_in_the_error() {
    let api = Api::new();
    api.answer_in("a", [stream([initial_events_end("10")])]);
    api.answer_in("b", (0..40).map(|_| refuse(403, "Forbidden")));
    let (factory, _informer) = informer_with(&api, |builder| builder.namespaces(["a", "b"]));
    factory.start();
    let error = factory.wait_for_cache_sync().await.unwrap_err();
    assert!(
        error.to_string().starts_with(
            "configmaps.v1 in namespace `b` cannot be cached: a permission is missing; grant it through a Role in namespace `b`"
        ),
        "{error}"
    );
    assert!(
        matches!(error, SyncError::Refused { namespace: Some(namespace), .. } if namespace == "b")
    );
    factory.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn invalid_namespace_is_never_requested() {
    let api = Api::new();
    let (factory, _informer) = informer_with(&api, |builder| builder.namespace("a/../b"));
    factory.start();
    let error = factory.wait_for_cache_sync().await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "configmaps.v1 in namespace `a/../b` cannot be cached: the request is invalid; check the namespace"
    );
    assert!(api.requests().is_empty());
    factory.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn sync_error_names_the_informer_and_the_status() {
    let api = Api::new();
    api.answer_path(
        "/apis/falldio.com/v1/gputasks",
        (0..40).map(|_| refuse(404, "NotFound")),
    );
    api.answer([stream([initial_events_end("10")])]);
    let (factory, _informer) = informer(&api);
    let kind = ApiResource {
        group: "falldio.com".into(),
        version: "v1".into(),
        api_version: "falldio.com/v1".into(),
        kind: "GPUTask".into(),
        plural: "gputasks".into(),
    };
    let _tasks = factory.informer_for_with::<DynamicObject>(kind);
    factory.start();
    let error = factory.wait_for_cache_sync().await.unwrap_err();
    assert_eq!(
        *error.resource(),
        GroupVersionResource::new("falldio.com", "v1", "gputasks")
    );
    assert_eq!(error.code(), Some(404));
    assert_eq!(
        error.to_string(),
        "gputasks.v1.falldio.com cannot be cached: the API server does not serve it; is the CustomResourceDefinition \
         `gputasks.falldio.com` installed (`genclient install` in its project), and does it serve version `v1`?"
    );
    factory.shutdown().await;
    let error = factory.wait_for_cache_sync().await.unwrap_err();
    assert_eq!((error.code(), error.cause().is_some()), (None, false));
}
