//! Tests of `for_condition`: when it returns, its errors, and the conditions of this crate.

use std::time::Duration;

use http::Request;
use k8s_openapi::api::core::v1::ConfigMap;
use kube::Client;
use kube::client::Body;
use serde_json::{Value, json};
use tower::BoxError;

use super::super::{conditions, for_condition};
use super::{
    ScriptedResponse, Step, bookmark_json, check_scripts, event_json, failed_step, is_ready,
    object_json, wait_for,
};
use crate::client::TypedClient;

#[tokio::test(start_paused = true)]
async fn for_condition_waits_until_the_condition_holds() {
    use Step::{Break, List, Refuse, Watch};
    let ready = || vec![object_json("ready")];
    let never = || event_json("MODIFIED", "waiting");
    check_scripts([
        ("already ready", vec![List(ready())], 0),
        (
            "created ready",
            vec![List(vec![]), Watch(vec![event_json("ADDED", "ready")])],
            0,
        ),
        (
            "recreated ready",
            vec![
                List(vec![object_json("waiting")]),
                Watch(vec![
                    bookmark_json("12"),
                    never(),
                    event_json("DELETED", "waiting"),
                    event_json("ADDED", "ready"),
                ]),
            ],
            0,
        ),
        (
            "the server is unavailable",
            vec![
                Break,
                Refuse(503),
                List(vec![]),
                Refuse(429),
                Watch(vec![event_json("ADDED", "ready")]),
            ],
            11,
        ),
    ])
    .await;
}

/// An empty namespace or name is refused without a request.
#[tokio::test]
async fn for_condition_requires_a_namespace_and_a_name() {
    let service = tower::service_fn(async |_: Request<Body>| {
        Err::<ScriptedResponse, BoxError>("a request was sent".into())
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
async fn silent_lists_and_watches_time_out() {
    use Step::{Hang, List, Silence, Watch, WatchAfter};
    let waiting = || vec![event_json("ADDED", "waiting")];
    let ready = || vec![event_json("MODIFIED", "ready")];
    check_scripts([
        ("list", vec![Hang, List(vec![object_json("ready")])], 61),
        (
            "watch without an answer",
            vec![List(vec![]), Hang, Watch(ready())],
            41,
        ),
        (
            "open watch",
            vec![List(vec![]), Silence(waiting()), WatchAfter("11", ready())],
            41,
        ),
    ])
    .await;
}

#[tokio::test(start_paused = true)]
async fn permanent_errors_are_returned() {
    use Step::{List, Refuse};
    for code in [400, 401, 403, 404, 405, 422] {
        for script in [
            vec![Refuse(code)],
            vec![List(vec![]), Refuse(code)],
            vec![List(vec![]), failed_step(code, "")],
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
async fn deleted_condition_accepts_absence_or_another_uid() {
    let uid = || Some("old".to_owned());
    for (name, uid, script) in [
        ("already deleted", uid(), vec![Step::List(vec![])]),
        (
            "another UID",
            uid(),
            vec![Step::List(vec![object_json("new")])],
        ),
        (
            "another UID later",
            uid(),
            vec![
                Step::List(vec![object_json("old")]),
                Step::Watch(vec![event_json("ADDED", "new")]),
            ],
        ),
        (
            "no UID",
            None,
            vec![
                Step::List(vec![object_json("new")]),
                Step::Watch(vec![
                    event_json("MODIFIED", "new"),
                    event_json("DELETED", "new"),
                ]),
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
fn established_condition_is_read_from_the_crd_status() {
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
