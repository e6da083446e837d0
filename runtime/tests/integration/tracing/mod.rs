//! Tests of the spans and events that an informer emits.

mod log;

use std::time::Duration;

use futures::StreamExt;
use genclient::client::{
    DeleteParams, GetParams, ListParams, PostParams, TypedClient, WatchParams,
};
use genclient::informer::{Handlers, Reachability, SharedInformerFactory};
use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

use super::informer::scripted::*;
use log::Log;

/// Adds the fields that every span and event about the collection has.
fn about(said: &[&str]) -> Vec<String> {
    let about = " namespace=a object.kind=ConfigMap";
    let said = said.iter().map(|said| said.replace(" …", about));
    said.collect()
}

/// The first spans and events, with a server that does not stream lists.
const FIRST: &[&str] = &[
    "span DEBUG list … resource=configmaps.v1 resource_version= streamed=true",
    "DEBUG cannot stream the list; falling back to list error=the API server returned 422 Invalid: told to say Invalid … \
     resource=configmaps.v1",
    "span DEBUG list … resource=configmaps.v1 resource_version=0 streamed=false",
    "DEBUG listed … objects=2 resource=configmaps.v1 resource_version=7 skipped=0",
    "span DEBUG watch … resource=configmaps.v1 resource_version=7",
];

/// Further ones: an unreadable object, the end of a watch, and a temporarily missing permission.
const LATER: &[&str] = &[
    "WARN cannot decode object; skipping it error=.data: invalid type: integer, expected a map object.ref=ConfigMap.v1./bad.a \
     resource_version=110",
    "DEBUG watch ended … resource=configmaps.v1 resource_version=110",
    "span DEBUG watch … resource=configmaps.v1 resource_version=110",
    "WARN list or watch failed; retrying error=the API server returned 403 Forbidden: told to say Forbidden … \
     resource=configmaps.v1 resource_version=110",
    "WARN cannot be cached: a permission is missing; grant it through a Role in namespace `a` with the rule {apiGroups: [\"\"], resources: [\"configmaps\"], \
     verbs: [\"list\", \"watch\"]} resource=configmaps.v1",
    "span DEBUG list … resource=configmaps.v1 resource_version=110 streamed=true",
    "DEBUG listed … objects=0 resource=configmaps.v1 resource_version=200 skipped=0",
    "span DEBUG watch … resource=configmaps.v1 resource_version=200",
];

#[tokio::test(start_paused = true)]
async fn lists_and_watches_are_logged_and_events_are_not() {
    let log = Log::default();
    let _listening = log.listen();
    let api = Api::new();
    let (first, watch) = feed();
    api.answer_in(
        "a",
        [
            refuse(422, "Invalid"),
            list("7", ["a/one@5", "a/two@7"]),
            watch,
            refuse(403, "Forbidden"),
        ],
    );
    let factory = SharedInformerFactory::builder(api.client())
        .namespace("a")
        .build();
    let informer = factory.informer_for::<ConfigMap>();
    informer
        .add_handler(Handlers::new().on_update(|_, _| {}))
        .unwrap()
        .detach();
    factory.start();
    factory.wait_for_cache_sync().await.unwrap();
    api.asked(3).await;
    settle().await;
    assert_eq!(log.take(), about(FIRST));

    // Caching and handling events emits nothing at any level.
    for version in 8..108 {
        first.line(modified(&format!("a/one@{version}")));
    }
    first.line(deleted("a/two@108"));
    first.line(bookmark("109"));
    eventually(|| informer.last_resource_version().as_deref() == Some("109")).await;
    settle().await;
    assert_eq!(log.take(), [""; 0]);

    let (second, watch) = feed();
    second.line(initial_events_end("200"));
    api.answer_in("a", [watch]);
    first.line(r#"{"type":"ADDED","object":{"metadata":{"namespace":"a","name":"bad","resourceVersion":"110"},"data":7}}"#);
    drop(first);
    eventually(|| informer.last_resource_version().as_deref() == Some("200")).await;
    assert_eq!(log.take(), about(LATER));
    factory.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn expired_watches_are_not_logged_as_failures_but_panics_are() {
    let log = Log::default();
    let _listening = log.listen();
    let api = Api::new();
    api.answer([
        list("7", ["a/one@5"]),
        stream([modified("a/one@8"), failed(410, "Expired")]),
        list("9", ["a/one@8"]),
    ]);
    let factory = SharedInformerFactory::builder(api.client())
        .watch_list(false)
        .build();
    let informer = factory.informer_for::<ConfigMap>();
    let panics =
        Handlers::new().on_update(|_, _| std::panic::resume_unwind(Box::new("as it does")));
    informer.add_handler(panics).unwrap().detach();
    factory.start();
    api.asked(4).await;
    settle().await;
    let said = log.take();
    let events: Vec<_> = said
        .iter()
        .filter(|said| !said.starts_with("span"))
        .collect();
    assert_eq!(
        events,
        [
            "DEBUG listed object.kind=ConfigMap objects=1 resource=configmaps.v1 resource_version=7 skipped=0",
            "DEBUG resource version expired; relisting error=the API server returned 410 Expired: told to say Expired \
             object.kind=ConfigMap resource=configmaps.v1 resource_version=8",
            "ERROR handler panicked; skipping the event object.ref=ConfigMap.v1./one.a",
            "DEBUG listed object.kind=ConfigMap objects=1 resource=configmaps.v1 resource_version=9 skipped=0",
        ]
    );
    factory.shutdown().await;
}

/// The warning that names the permission to grant is logged once.
#[tokio::test(start_paused = true)]
async fn repeated_failure_is_logged_as_a_warning_once() {
    let log = Log::default();
    let _listening = log.listen();
    let api = Api::new();
    api.answer([
        refuse(403, "Forbidden"),
        refuse(403, "Forbidden"),
        refuse(403, "Forbidden"),
        list("9", ["a/one@8"]),
    ]);
    let factory = SharedInformerFactory::builder(api.client())
        .watch_list(false)
        .build();
    let _informer = factory.informer_for::<ConfigMap>();
    factory.start();
    api.asked(5).await;
    settle().await;
    let said = log.take();
    let failures = said.iter().filter(|said| said.contains("Forbidden"));
    let levels: Vec<_> = failures.filter_map(|said| said.split(' ').next()).collect();
    assert_eq!(levels, ["WARN", "DEBUG", "DEBUG"], "{said:#?}");
    factory.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn slow_lists_and_aborted_watches_are_logged() {
    let log = Log::default();
    let _listening = log.listen();
    let api = Api::new();
    let (stream, answer) = feed();
    api.answer([answer]);
    let factory = SharedInformerFactory::builder(api.client()).build();
    let _informer = factory.informer_for::<ConfigMap>();
    factory.start();
    tokio::time::sleep(Duration::from_secs(15)).await;
    stream.line(initial_events_end("10"));
    // After three minutes of silence.
    api.asked(2).await;
    let said = log.take();
    let events: Vec<_> = said
        .iter()
        .filter(|said| !said.starts_with("span"))
        .collect();
    assert_eq!(
        events,
        [
            "WARN still streaming the list object.kind=ConfigMap resource=configmaps.v1",
            "DEBUG listed object.kind=ConfigMap objects=0 resource=configmaps.v1 resource_version=10 skipped=0",
            "DEBUG restarting watch error=no data received for 180 s object.kind=ConfigMap resource=configmaps.v1 resource_version=10",
        ]
    );
    factory.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn a_restore_is_logged_once() {
    let log = Log::default();
    let _listening = log.listen();
    let api = Api::new();
    let ended_early = stream([added("a/one@80"), initial_events_end("100")]).broken();
    let relist = stream([added("a/one@30"), initial_events_end("41")]);
    api.answer([ended_early, stream([]), list("40", ["a/one@30"]), relist]);
    let factory = SharedInformerFactory::builder(api.client()).build();
    let informer = factory.informer_for::<ConfigMap>();
    factory.start();
    eventually(|| informer.last_resource_version().as_deref() == Some("41")).await;
    let warnings = warnings(&log);
    assert_eq!(warnings.len(), 1, "{warnings:#?}");
    assert!(
        warnings[0].starts_with("WARN resource versions went back"),
        "{warnings:#?}"
    );
    factory.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn an_outage_is_logged_once() {
    let log = Log::default();
    let _listening = log.listen();
    let api = Api::new();
    for namespace in ["a", "b"] {
        api.answer_in(namespace, (0..20).map(|_| refused_connection()));
        api.answer_in(namespace, [stream([initial_events_end("10")])]);
    }
    let factory = SharedInformerFactory::builder(api.client())
        .namespaces(["a", "b"])
        .build();
    let _informer = factory.informer_for::<ConfigMap>();
    factory.start();
    factory.wait_for_cache_sync().await.unwrap();
    assert_eq!(warnings(&log), OF_AN_OUTAGE);
    factory.shutdown().await;
}

/// The informers of two factories that share the state of the connection.
#[tokio::test(start_paused = true)]
async fn an_outage_is_logged_once_by_factories_of_one_server() {
    let log = Log::default();
    let _listening = log.listen();
    let api = Api::new();
    let reachability = Reachability::new();
    let factories = ["a", "b"].map(|namespace| {
        api.answer_in(namespace, (0..20).map(|_| refused_connection()));
        api.answer_in(namespace, [stream([initial_events_end("10")])]);
        let factory = SharedInformerFactory::builder(api.client())
            .reachability(&reachability)
            .namespace(namespace)
            .build();
        factory.informer_for::<ConfigMap>();
        factory.start();
        factory
    });
    assert!(reachability.is_reachable());
    tokio::time::sleep(Duration::from_secs(5)).await;
    assert!(!reachability.is_reachable());
    for factory in &factories {
        factory.wait_for_cache_sync().await.unwrap();
    }
    assert!(reachability.is_reachable());
    assert_eq!(warnings(&log), OF_AN_OUTAGE);
    for factory in factories {
        factory.shutdown().await;
    }
}

/// Logs of 40 attempts, one per second.
const OF_AN_OUTAGE: [&str; 3] = [
    "WARN list or watch failed; retrying",
    "WARN list or watch failed; retrying",
    "INFO the API server can be reached again",
];

/// Returns the events above DEBUG, without their fields.
fn warnings(log: &Log) -> Vec<String> {
    let above_debug = log
        .take()
        .into_iter()
        .filter(|said| !said.contains("DEBUG"));
    above_debug
        .map(|said| match said.split_once(" error=") {
            Some((said, _)) => said.to_owned(),
            None => said,
        })
        .collect()
}

/// Malformed Secrets, whose unreadable parts contain `hunter2`.
const UNREADABLE: [&str; 4] = [
    r#"{"kind":"Secret","apiVersion":"v1","metadata":{"name":"db"},"data":"hunter2"}"#,
    r#"{"kind":"Secret","apiVersion":"v1","metadata":{"name":"db"},"data":{"password":"hunter2!"}}"#,
    r#"{"kind":"Secret","apiVersion":"v1","metadata":{"name":"db"},"immutable":"hunter2"}"#,
    r#""hunter2""#,
];

/// Whether an error names the unreadable field of a Secret, or its column.
fn names_a_place(told: &str) -> bool {
    let places = ["at line 1 column", ": .", "\"."];
    places.iter().any(|place| told.contains(place))
}

#[tokio::test(start_paused = true)]
async fn undecodable_objects_are_quoted_nowhere() {
    let log = Log {
        of_all: true,
        ..Log::default()
    };
    let _listening = log.listen();
    let params = PostParams::default();
    for json in UNREADABLE {
        let path = "/api/v1/namespaces/a/secrets";
        let list = format!(
            r#"{{"kind":"SecretList","apiVersion":"v1","metadata":{{"resourceVersion":"1"}},"items":[{json}]}}"#
        );
        let api = Api::new();
        for path in [path.to_owned(), format!("{path}/db")] {
            api.answer_path(&path, [body(200, json), body(200, json), body(200, &*list)]);
        }
        let watched = event("ADDED", json) + "\n";
        api.answer_path(path, [body(200, watched.clone())]);
        let secrets = TypedClient::<Secret>::namespaced(api.client(), "a");
        let secret = Secret {
            metadata: ObjectMeta {
                name: Some("db".to_owned()),
                ..ObjectMeta::default()
            },
            ..Secret::default()
        };
        let (selected, deletion) = (ListParams::default(), DeleteParams::default());
        let errors = [
            secrets.create(&secret, &params).await.unwrap_err(),
            secrets
                .delete_collection(&deletion, &selected)
                .await
                .unwrap_err(),
            secrets.list(&selected).await.unwrap_err(),
            secrets.get("db", &GetParams::default()).await.unwrap_err(),
            secrets.delete("db", &deletion).await.unwrap_err(),
        ];
        for error in errors {
            let told = format!("{error} {error:?}");
            assert!(names_a_place(&told), "{told}");
            assert!(!told.contains("hunter2"), "{told}");
        }
        let mut events = secrets.watch(&WatchParams::default(), "0").await.unwrap();
        let event = events.next().await.unwrap();
        assert!(!format!("{event:?}").contains("hunter2"), "{event:?}");

        let api = Api::new();
        api.answer_path("/api/v1/secrets", [body(200, &*list), body(200, watched)]);
        let factory = SharedInformerFactory::builder(api.client())
            .watch_list(false)
            .build();
        let informer = factory.informer_for::<Secret>();
        factory.start();
        api.asked(3).await;
        let skipped = format!("{:?}", informer.skipped());
        assert!(names_a_place(&skipped), "{skipped}");
        assert!(!skipped.contains("hunter2"), "{skipped}");
        factory.shutdown().await;
    }
    for said in log.take() {
        assert!(!said.contains("hunter2"), "{said}");
    }
}
