//! Tests of `for_condition` against a scripted API server.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures::StreamExt;
use futures::stream::{self, BoxStream};
use http::{Request, Response};
use http_body::Frame;
use http_body_util::StreamBody;
use k8s_openapi::api::core::v1::ConfigMap;
use kube::Client;
use kube::client::Body;
use parking_lot::Mutex;
use serde_json::{Value, json};
use tokio::time::{Instant, sleep};
use tower::BoxError;

use super::{conditions, for_condition};
use crate::client::{Result, TypedClient};

/// An expected request and its response.
enum Step {
    /// A list with these objects.
    List(Vec<Value>),
    /// A watch from the version of the list, which ends after these events.
    Watch(Vec<Value>),
    /// A watch from another version; empty matches any.
    WatchAfter(&'static str, Vec<Value>),
    /// An error status for either request.
    Refuse(u16),
    /// The connection breaks.
    Break,
    /// No response.
    Hang,
    /// A watch with these events, then silence without an end.
    Silence(Vec<Value>),
    /// A watch with these events, which ends after this many seconds.
    Lasting(u64, Vec<Value>),
}

type Answer = Response<StreamBody<BoxStream<'static, std::result::Result<Frame<Bytes>, BoxError>>>>;

/// Waits for the ConfigMap `wanted` against a script. Returns the result and the elapsed seconds.
async fn wait_for(
    script: Vec<Step>,
    condition: impl Fn(Option<&ConfigMap>) -> bool,
) -> (Result<Option<ConfigMap>>, u64) {
    let steps = Arc::new(Mutex::new(script.into_iter()));
    let service = {
        let steps = Arc::clone(&steps);
        tower::service_fn(move |request: Request<Body>| {
            let step = steps.lock().next();
            async move {
                match step.expect("no more requests") {
                    Step::Hang => std::future::pending().await,
                    step => answer(&request, step),
                }
            }
        })
    };
    let client = TypedClient::namespaced(Client::new(service, "default"), "default");
    let start = Instant::now();
    let waited = for_condition(&client, "wanted", condition).await;
    assert!(steps.lock().next().is_none(), "there is more in the script");
    (waited, start.elapsed().as_secs())
}

fn answer(request: &Request<Body>, step: Step) -> std::result::Result<Answer, BoxError> {
    let query = request.uri().query().unwrap_or_default();
    assert!(
        query.contains("fieldSelector=metadata.name%3Dwanted"),
        "{query}"
    );
    let watches = query.contains("watch=true");
    let (code, body) = match step {
        Step::List(items) => {
            assert!(!watches, "{query}");
            let list = json!({"apiVersion": "v1", "kind": "ConfigMapList", "metadata": {"resourceVersion": "10"}, "items": items});
            (200, list.to_string())
        }
        Step::Watch(events) => (200, watch(query, "10", &events)),
        Step::WatchAfter(version, events) => (200, watch(query, version, &events)),
        Step::Refuse(code) => {
            let status = json!({"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure", "code": code,
                "reason": "", "message": "as the script says"});
            (code, status.to_string())
        }
        Step::Break | Step::Hang => return Err("connection reset".into()),
        Step::Silence(events) => {
            let frame = Ok(Frame::data(watch(query, "10", &events).into()));
            let silent = stream::iter([frame]).chain(stream::pending());
            return Ok(Response::new(StreamBody::new(silent.boxed())));
        }
        Step::Lasting(seconds, events) => {
            let frame = Ok(Frame::data(watch(query, "10", &events).into()));
            let end = stream::once(sleep(Duration::from_secs(seconds)));
            let lasting = stream::iter([frame]).chain(end.filter_map(async |()| None));
            return Ok(Response::new(StreamBody::new(lasting.boxed())));
        }
    };
    let body = stream::iter([Ok(Frame::data(body.into()))]);
    let response = Response::builder().status(code);
    Ok(response.body(StreamBody::new(body.boxed()))?)
}

fn watch(query: &str, version: &str, events: &[Value]) -> String {
    let stated = format!("{query}&").contains(&format!("resourceVersion={version}&"));
    assert!(query.contains("watch=true"), "{query}");
    assert!(
        stated || version.is_empty(),
        "{query} is not after {version}"
    );
    let lines = events.iter().map(|event| format!("{event}\n"));
    lines.collect()
}

fn object(data: &str) -> Value {
    json!({"apiVersion": "v1", "kind": "ConfigMap", "data": {"state": data},
        "metadata": {"namespace": "default", "name": "wanted", "uid": data, "resourceVersion": "11"}})
}

fn event(kind: &str, data: &str) -> Value {
    json!({"type": kind, "object": object(data)})
}

fn bookmark(version: &str) -> Value {
    json!({"type": "BOOKMARK", "object": {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"resourceVersion": version}}})
}

/// A watch with an error event.
fn failed(code: u16, reason: &str) -> Step {
    let status = json!({"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure",
        "code": code, "reason": reason, "message": "as the script says"});
    Step::WatchAfter("", vec![json!({"type": "ERROR", "object": status})])
}

fn is_ready(object: Option<&ConfigMap>) -> bool {
    let data = object.and_then(|object| object.data.as_ref());
    data.is_some_and(|data| data["state"] == "ready")
}

/// Waits until the object is ready, for each script within a maximum number of seconds.
async fn check(scripts: impl IntoIterator<Item = (&'static str, Vec<Step>, u64)>) {
    for (name, script, at_most) in scripts {
        let (waited, took) = wait_for(script, is_ready).await;
        let found = waited.unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(is_ready(found.as_ref()), "{name}");
        assert!(took <= at_most, "{name}: {took} s");
    }
}

#[tokio::test(start_paused = true)]
async fn objects_are_waited_for() {
    use Step::{Break, List, Refuse, Watch};
    let ready = || vec![object("ready")];
    let never = || event("MODIFIED", "waiting");
    check([
        ("it is so already", vec![List(ready())], 0),
        (
            "it comes",
            vec![List(vec![]), Watch(vec![event("ADDED", "ready")])],
            0,
        ),
        (
            "it becomes so",
            vec![
                List(vec![object("waiting")]),
                Watch(vec![
                    bookmark("12"),
                    never(),
                    event("DELETED", "waiting"),
                    event("ADDED", "ready"),
                ]),
            ],
            0,
        ),
        (
            "the server is not there",
            vec![
                Break,
                Refuse(503),
                List(vec![]),
                Refuse(429),
                Watch(vec![event("ADDED", "ready")]),
            ],
            11,
        ),
    ])
    .await;
}

/// client-go's `Until`, and `UntilWithSync` where `Until` fails.
#[tokio::test(start_paused = true)]
async fn watches_begin_where_the_last_one_ended() {
    use Step::{Break, List, Refuse, Watch, WatchAfter};
    let ready = || vec![object("ready")];
    let never = || event("MODIFIED", "waiting");
    check([
        (
            "the watch ends",
            vec![
                List(vec![]),
                Watch(vec![never()]),
                WatchAfter("11", vec![bookmark("15")]),
                WatchAfter("15", vec![event("MODIFIED", "ready")]),
            ],
            4,
        ),
        (
            "it is so between two watches alone",
            vec![
                List(vec![]),
                Watch(vec![]),
                Watch(vec![
                    event("ADDED", "ready"),
                    event("MODIFIED", "not any more"),
                ]),
            ],
            1,
        ),
        (
            "it is so while the server is not there",
            vec![
                List(vec![]),
                Watch(vec![event("ADDED", "waiting")]),
                Break,
                Refuse(503),
                failed(500, "InternalError"),
                WatchAfter(
                    "11",
                    vec![event("MODIFIED", "ready"), event("DELETED", "ready")],
                ),
            ],
            22,
        ),
        (
            "the watch is too far behind",
            vec![
                List(vec![]),
                Watch(vec![]),
                failed(410, "Expired"),
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

/// The cases of `TestRetryWatcher` in which the next watch resumes where the last one ended: the
/// script, and the versions of the states passed to the condition.
fn retry_watcher_cases() -> [(&'static str, Vec<Step>, &'static str); 7] {
    use Step::{Break, List, Watch, WatchAfter};
    let at = |version: &str| {
        let mut event = event("MODIFIED", version);
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

/// Pauses grow with failures; a watch without events is not a failure.
#[tokio::test(start_paused = true)]
async fn watches_that_were_open_shorten_the_pauses_again() {
    use Step::{Break, Lasting, List, Refuse, Watch};
    let ready = || Watch(vec![event("MODIFIED", "ready")]);
    let after = |watches: Vec<Step>, failures: Vec<Step>| {
        let steps = [vec![List(vec![])], watches, failures, vec![ready()]];
        steps.into_iter().flatten().collect()
    };
    let quiet = || (0..8).map(|_| Lasting(290, vec![])).collect();
    let bookmarked = || (0..8).map(|_| Lasting(60, vec![bookmark("10")])).collect();
    check([
        ("quiet ones", after(quiet(), vec![Break]), 8 * 290 + 4),
        (
            "those with bookmarks",
            after(bookmarked(), vec![Break]),
            8 * 60 + 4,
        ),
        (
            "one after failures",
            after(
                vec![],
                vec![Refuse(503), Refuse(503), Lasting(121, vec![]), Break],
            ),
            2 + 4 + 121 + 2,
        ),
    ])
    .await;
}

/// As for verbs on a named object.
#[tokio::test]
async fn objects_need_a_namespace_and_a_name() {
    let service = tower::service_fn(async |_: Request<Body>| {
        Err::<Answer, BoxError>("a request was sent".into())
    });
    let client = Client::new(service, "default");
    for (namespace, name) in [("", "wanted"), ("default", "")] {
        let client = TypedClient::<ConfigMap>::namespaced(client.clone(), namespace);
        let waited = for_condition(&client, name, |_| true);
        let waited = tokio::time::timeout(Duration::from_secs(1), waited).await;
        let refused = matches!(waited, Ok(Err(kube::Error::BuildRequest(_))));
        assert!(refused, "`{namespace}` `{name}`");
    }
}

/// A connection can die without either side noticing.
#[tokio::test(start_paused = true)]
async fn silence_is_not_waited_out_for_ever() {
    use Step::{Hang, List, Silence, Watch, WatchAfter};
    let waiting = || vec![event("ADDED", "waiting")];
    let ready = || vec![event("MODIFIED", "ready")];
    check([
        ("of a list", vec![Hang, List(vec![object("ready")])], 61),
        (
            "of a watch that is not answered",
            vec![List(vec![]), Hang, Watch(ready())],
            321,
        ),
        (
            "of a watch that is open",
            vec![List(vec![]), Silence(waiting()), WatchAfter("11", ready())],
            321,
        ),
    ])
    .await;
}

#[tokio::test(start_paused = true)]
async fn what_time_does_not_mend_is_an_error() {
    use Step::{List, Refuse};
    for code in [400, 401, 403, 404, 405, 422] {
        for script in [
            vec![Refuse(code)],
            vec![List(vec![]), Refuse(code)],
            vec![List(vec![]), failed(code, "")],
        ] {
            let (waited, took) = wait_for(script, is_ready).await;
            match waited {
                Err(kube::Error::Api(status)) => assert_eq!(status.code, code),
                other => panic!("{code}: {other:?}"),
            }
            assert_eq!(took, 0);
        }
    }
}

#[tokio::test(start_paused = true)]
async fn deleted_is_gone_or_another() {
    let uid = || Some("old".to_owned());
    for (name, uid, script) in [
        ("gone already", uid(), vec![Step::List(vec![])]),
        ("another one", uid(), vec![Step::List(vec![object("new")])]),
        (
            "another one comes",
            uid(),
            vec![
                Step::List(vec![object("old")]),
                Step::Watch(vec![event("ADDED", "new")]),
            ],
        ),
        (
            "any",
            None,
            vec![
                Step::List(vec![object("new")]),
                Step::Watch(vec![event("MODIFIED", "new"), event("DELETED", "new")]),
            ],
        ),
    ] {
        let gone = conditions::deleted(uid.clone());
        let waited = tokio::time::timeout(Duration::from_secs(1), wait_for(script, gone)).await;
        let (found, _) = waited.unwrap_or_else(|_| panic!("{name}: still waiting"));
        let found = found.unwrap().and_then(|object| object.metadata.uid);
        assert_ne!(found, uid.or(Some("new".to_owned())), "{name}");
    }
}

#[test]
fn established_is_a_condition_of_a_definition() {
    let definition = |status: Value| {
        serde_json::from_value(json!({
            "metadata": {"name": "gputasks.falldio.com"},
            "spec": {"group": "falldio.com", "names": {"kind": "GPUTask", "plural": "gputasks"}, "scope": "Namespaced", "versions": []},
            "status": status,
        }))
        .unwrap()
    };
    let condition = |kind: &str, status: &str| json!({"type": kind, "status": status});
    for (conditions, expected) in [
        (json!(null), false),
        (json!([condition("NamesAccepted", "True")]), false),
        (json!([condition("Established", "False")]), false),
        (
            json!([
                condition("NamesAccepted", "True"),
                condition("Established", "True")
            ]),
            true,
        ),
    ] {
        let status = json!({"conditions": conditions});
        assert_eq!(conditions::established(Some(&definition(status))), expected);
    }
    assert!(!conditions::established(None));
}
