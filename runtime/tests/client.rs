//! Tests of the verbs of a client: requests sent, and arguments rejected before sending.

#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test fails by panicking, and so do its helpers"
)]

use std::sync::{Arc, Mutex};

use genclient::client::{
    DeleteParams, Deletion, GetParams, ListParams, Patch, PatchParams, PostParams, Scale,
    TypedClient, WatchEvent, WatchParams,
};
use genclient::kube::Client;
use genclient::kube::client::Body;
use genclient::kube::core::{ApiResource, DynamicObject};
use http::{Request, Response};
use http_body_util::BodyExt;
use serde_json::{Value, json};

use apis::v1::{GPUTask, GPUTaskSpec};

mod apis {
    pub(crate) mod v1 {
        use genclient::prelude::*;

        /// A kind as written by users, without a schema.
        #[genclient]
        #[group = "falldio.com"]
        pub(crate) struct GPUTask {
            pub(crate) metadata: ObjectMeta,
            pub(crate) spec: GPUTaskSpec,
            #[serde(skip_serializing_if = "Option::is_none")]
            pub(crate) status: Option<GPUTaskStatus>,
        }

        #[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
        pub(crate) struct GPUTaskSpec {
            pub(crate) gpu: String,
            pub(crate) note: Option<String>,
        }

        #[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
        pub(crate) struct GPUTaskStatus {
            pub(crate) phase: String,
        }
    }
}

/// An API server that answers every request with the same body and records the last request.
#[derive(Clone, Default)]
struct Server {
    seen: Arc<Mutex<Vec<(String, String, Value)>>>,
    /// The last body as text.
    text: Arc<Mutex<String>>,
}

impl Server {
    fn client(&self, answer: impl ToString) -> Client {
        let (server, answer) = (self.clone(), answer.to_string());
        let service = tower::service_fn(move |request: Request<Body>| {
            let (server, answer) = (server.clone(), answer.clone());
            async move {
                let (head, body) = request.into_parts();
                let body = body.collect().await?.to_bytes();
                *server.text.lock().unwrap() = String::from_utf8_lossy(&body).into_owned();
                let content_type = head.headers.get("content-type");
                let content_type = content_type.map_or("", |value| value.to_str().unwrap());
                server.seen.lock().unwrap().push((
                    format!("{} {}", head.method, head.uri),
                    content_type.to_owned(),
                    serde_json::from_slice(&body).unwrap_or(Value::Null),
                ));
                Ok::<_, genclient::kube::Error>(Response::new(Body::from(answer.into_bytes())))
            }
        });
        Client::new(service, "default")
    }

    fn text(&self) -> String {
        self.text.lock().unwrap().clone()
    }

    /// Returns the last request: method and path, content type, body.
    fn last(&self) -> (String, String, Value) {
        self.seen.lock().unwrap().pop().expect("a request was sent")
    }

    fn is_untouched(&self) -> bool {
        self.seen.lock().unwrap().is_empty()
    }
}

const TASKS: &str = "/apis/falldio.com/v1/namespaces/default/gputasks";

fn stored() -> Value {
    json!({
        "apiVersion": "falldio.com/v1",
        "kind": "GPUTask",
        "metadata": {"name": "train", "namespace": "default"},
        "spec": {"gpu": "h100", "note": null},
    })
}

fn task() -> GPUTask {
    serde_json::from_value(stored()).unwrap()
}

/// Returns a server that answers with `answer`, and a client of its tasks in the namespace
/// `default`.
fn serve(answer: &Value) -> (Server, TypedClient<GPUTask>) {
    let server = Server::default();
    let client = server.client(answer);
    (server, TypedClient::namespaced(client, "default"))
}

#[tokio::test]
async fn writing_verbs_send_the_object_to_its_name() {
    let (server, tasks) = serve(&stored());
    let post = PostParams::default();

    let created = tasks.create(&task(), &post).await.unwrap();
    assert_eq!(
        created.spec,
        GPUTaskSpec {
            gpu: "h100".into(),
            note: None
        }
    );
    let sent = |path: String| (path, "application/json".to_owned(), stored());
    assert_eq!(server.last(), sent(format!("POST {TASKS}?")));

    tasks.update(&task(), &post).await.unwrap();
    assert_eq!(server.last(), sent(format!("PUT {TASKS}/train?")));

    tasks.update_status(&task(), &post).await.unwrap();
    assert_eq!(server.last(), sent(format!("PUT {TASKS}/train/status?")));
}

#[tokio::test]
async fn reading_verbs_ask_for_what_their_parameters_say() {
    let (server, tasks) = serve(&stored());
    tasks.get("train", &GetParams::at("7")).await.unwrap();
    assert_eq!(
        server.last().0,
        format!("GET {TASKS}/train?&resourceVersion=7")
    );

    let list = json!({"metadata": {"resourceVersion": "9"}, "items": [stored()]});
    let (server, tasks) = serve(&list);
    let listed = tasks
        .list(&ListParams::default().labels("a=b"))
        .await
        .unwrap();
    assert_eq!(listed.items.len(), 1);
    assert_eq!(server.last().0, format!("GET {TASKS}?&labelSelector=a%3Db"));
}

/// As informers read them.
#[tokio::test]
async fn objects_that_are_nested_deep_are_read() {
    for (levels, is_read) in [(100, true), (250, true), (251, false)] {
        let (open, close) = ("[".repeat(levels), "]".repeat(levels));
        let client = Server::default().client(format!("{open}{close}"));
        let tasks = TypedClient::<GPUTask>::namespaced(client, "default");
        let params = GetParams::default();
        let read = tasks.get_as::<Value>("train", None, &params).await;
        assert_eq!(read.is_ok(), is_read, "{levels} levels");
    }
}

#[tokio::test]
async fn watch_yields_events() {
    let (server, tasks) = serve(&json!({"type": "ADDED", "object": stored()}));
    let events = tasks.watch(&WatchParams::default(), "7").await.unwrap();
    let events: Vec<_> = futures::StreamExt::collect(events).await;
    assert!(matches!(&events[..], [Ok(WatchEvent::Added(task))] if task.spec.gpu == "h100"));
    let path = server.last().0;
    assert!(
        path.starts_with(&format!("GET {TASKS}?&watch=true")),
        "{path}"
    );
    assert!(path.ends_with("resourceVersion=7"), "{path}");
}

/// `TestDecoder` and `TestDecoder_SourceClose` of client-go's `rest/watch`: an event of each type,
/// then a truncated one, which ends the stream, as it ends client-go's `StreamWatcher`.
#[tokio::test]
async fn events_of_every_type_are_decoded_until_the_answer_ends() {
    let bookmark = json!({"apiVersion": "falldio.com/v1", "kind": "GPUTask", "metadata": {"resourceVersion": "9"}});
    let status = json!({"kind": "Status", "apiVersion": "v1", "code": 410, "reason": "Expired"});
    let lines = [
        ("ADDED", stored()),
        ("MODIFIED", stored()),
        ("DELETED", stored()),
        ("BOOKMARK", bookmark),
        ("ERROR", status),
    ]
    .map(|(kind, object)| json!({"type": kind, "object": object}).to_string());
    let answer = lines.join("\n") + "\n" + &lines[0][..40];
    let tasks = TypedClient::<GPUTask>::namespaced(Server::default().client(answer), "default");
    let events = tasks.watch(&WatchParams::default(), "7").await.unwrap();
    let events: Vec<_> = futures::StreamExt::collect(events).await;
    let [
        Ok(WatchEvent::Added(added)),
        Ok(WatchEvent::Modified(modified)),
        Ok(WatchEvent::Deleted(deleted)),
        Ok(WatchEvent::Bookmark(bookmark)),
        Ok(WatchEvent::Error(status)),
    ] = &events[..]
    else {
        panic!("{events:?}");
    };
    for object in [added, modified, deleted] {
        assert_eq!(object.spec, task().spec);
    }
    assert_eq!(bookmark.metadata.resource_version, "9");
    assert_eq!((status.code, &*status.reason), (410, "Expired"));
}

#[tokio::test]
async fn delete_tells_what_is_going_away_from_what_is_gone() {
    let (server, tasks) = serve(&stored());
    let deleted = tasks
        .delete("train", &DeleteParams::foreground())
        .await
        .unwrap();
    assert!(matches!(deleted, Deletion::Accepted(_)));
    let (path, _, body) = server.last();
    assert_eq!(path, format!("DELETE {TASKS}/train?"));
    assert_eq!(body, json!({"propagationPolicy": "Foreground"}));

    let (server, tasks) = serve(&json!({"kind": "Status", "status": "Success"}));
    let deleted = tasks
        .delete("train", &DeleteParams::default())
        .await
        .unwrap();
    assert!(matches!(deleted, Deletion::Completed(status) if status.is_success()));
    server.last();

    let selected = ListParams::default().labels("a");
    tasks
        .delete_collection(&DeleteParams::default(), &selected)
        .await
        .unwrap();
    assert_eq!(server.last().0, format!("DELETE {TASKS}?&labelSelector=a"));
}

#[tokio::test]
async fn patch_is_sent_as_it_is_and_apply_without_nulls() {
    let (server, tasks) = serve(&stored());
    let patch = Patch::Merge(json!({"spec": {"note": null}}));
    tasks
        .patch("train", &patch, &PatchParams::default())
        .await
        .unwrap();
    let (path, content_type, body) = server.last();
    assert_eq!(path, format!("PATCH {TASKS}/train?"));
    assert_eq!(content_type, "application/merge-patch+json");
    assert_eq!(body, json!({"spec": {"note": null}}));

    let mut object = task();
    object.metadata.managed_fields = Some(vec![Default::default()]);
    let applied = PatchParams::apply("demo").force();
    tasks.apply("train", &object, &applied).await.unwrap();
    let (path, content_type, body) = server.last();
    assert_eq!(
        path,
        format!("PATCH {TASKS}/train?&force=true&fieldManager=demo")
    );
    assert_eq!(content_type, "application/apply-patch+yaml");
    let mut expected = stored();
    expected["spec"] = json!({"gpu": "h100"});
    assert_eq!(body, expected);
}

#[tokio::test]
async fn apply_of_a_part_is_completed_with_its_types_and_its_name() {
    let (server, tasks) = serve(&stored());
    let part = json!({"status": {"phase": "Done", "list": [null, {"left": null}]}});
    tasks
        .apply_status("train", &part, &PatchParams::apply("demo"))
        .await
        .unwrap();
    let (path, _, body) = server.last();
    assert_eq!(
        path,
        format!("PATCH {TASKS}/train/status?&fieldManager=demo")
    );
    assert_eq!(
        body,
        json!({
            "apiVersion": "falldio.com/v1",
            "kind": "GPUTask",
            "metadata": {"name": "train"},
            "status": {"phase": "Done", "list": [null, {}]},
        })
    );

    // Without a field manager, the connection or the API server decides.
    let nobody = PatchParams {
        field_manager: Some(String::new()),
        ..PatchParams::default()
    };
    tasks.apply("train", &part, &nobody).await.unwrap();
    assert_eq!(server.last().0, format!("PATCH {TASKS}/train?"));
}

/// The given `metadata`, and the one that is sent.
#[tokio::test]
async fn apply_names_the_object_in_its_body() {
    let (server, tasks) = serve(&stored());
    for (metadata, sent) in [
        (json!(null), json!({"name": "train"})),
        (json!({"name": null}), json!({"name": "train"})),
        (
            json!({"labels": {"a": "b"}}),
            json!({"labels": {"a": "b"}, "name": "train"}),
        ),
        // The API server rejects this.
        (json!({"name": "other"}), json!({"name": "other"})),
    ] {
        let part = json!({"metadata": metadata});
        let params = PatchParams::apply("demo");
        tasks.apply("train", &part, &params).await.unwrap();
        assert_eq!(server.last().2["metadata"], sent);
    }
}

#[tokio::test]
async fn texts_that_yaml_would_read_otherwise_are_escaped_in_an_apply() {
    let (server, tasks) = serve(&stored());
    let text = json!({"spec": {"line\u{2028}end": "next\u{85}line"}});
    let params = PatchParams::apply("demo");
    tasks.apply("train", &text, &params).await.unwrap();
    let sent = server.text();
    assert!(
        sent.contains(r#"{"line\u2028end":"next\u0085line"}"#),
        "{sent}"
    );
    let applied = Patch::Apply(text.clone());
    tasks.patch("train", &applied, &params).await.unwrap();
    assert!(server.text().is_ascii());
    // Any other patch is parsed as JSON.
    let merged = Patch::Merge(text.clone());
    tasks.patch("train", &merged, &params).await.unwrap();
    assert_eq!(server.text(), text.to_string());
}

#[tokio::test]
async fn scale_and_other_subresources_have_their_own_types() {
    let (server, tasks) = serve(&json!({"metadata": {}, "spec": {"replicas": 3}}));
    let scale = tasks.get_scale("train").await.unwrap();
    assert_eq!(scale.spec.as_ref().and_then(|spec| spec.replicas), Some(3));
    assert_eq!(server.last().0, format!("GET {TASKS}/train/scale"));
    tasks
        .update_scale("train", &scale, &PostParams::default())
        .await
        .unwrap();
    assert_eq!(server.last().0, format!("PUT {TASKS}/train/scale?"));

    let (post, patch) = (PostParams::default(), PatchParams::apply("demo"));
    let (name, sub) = (Some("train"), Some("eviction"));
    let _: Scale = tasks.create_as(name, sub, &json!({}), &post).await.unwrap();
    assert_eq!(server.last().0, format!("POST {TASKS}/train/eviction?"));
    let _: Scale = tasks
        .list_as(name, Some("pods"), &ListParams::default())
        .await
        .unwrap();
    assert_eq!(server.last().0, format!("GET {TASKS}/train/pods?"));
    let _: Scale = tasks
        .apply_as("train", Some("scale"), &json!({"a": null}), &patch)
        .await
        .unwrap();
    let (path, _, body) = server.last();
    assert_eq!(
        path,
        format!("PATCH {TASKS}/train/scale?&fieldManager=demo")
    );
    assert_eq!(body, json!({}));
}

#[tokio::test]
async fn names_cannot_leave_their_place_in_the_path() {
    let (server, tasks) = serve(&stored());
    tasks
        .get("system:a?b#c d", &GetParams::default())
        .await
        .unwrap();
    assert_eq!(server.last().0, format!("GET {TASKS}/system:a%3Fb%23c%20d"));
    for name in ["", ".", "..", "a/b", "a%2Fb"] {
        let delete = tasks.delete(name, &DeleteParams::default()).await;
        assert!(delete.is_err(), "{name}");
        assert!(
            tasks.get(name, &GetParams::default()).await.is_err(),
            "{name}"
        );
    }
    let elsewhere = TypedClient::<GPUTask>::namespaced(tasks.client().clone(), "../kube-system");
    assert!(elsewhere.list(&ListParams::default()).await.is_err());
    assert!(server.is_untouched());
}

#[tokio::test]
async fn all_namespaces_are_for_verbs_that_name_no_object() {
    let (server, tasks) = serve(&json!({"metadata": {}, "items": []}));
    let all = TypedClient::<GPUTask>::namespaced(tasks.client().clone(), "");
    assert_eq!(all.namespace(), Some(""));
    all.list(&ListParams::default()).await.unwrap();
    assert_eq!(server.last().0, "GET /apis/falldio.com/v1/gputasks?");

    let post = PostParams::default();
    let refused = [
        all.create(&task(), &post).await.map(drop),
        all.update(&task(), &post).await.map(drop),
        all.get("train", &GetParams::default()).await.map(drop),
        all.delete("train", &DeleteParams::default())
            .await
            .map(drop),
        all.get_scale("train").await.map(drop),
    ];
    for refused in refused {
        let error = refused.unwrap_err().to_string();
        assert!(error.contains("a namespace is needed"), "{error}");
    }
    let mut nameless = task();
    nameless.metadata.name = None;
    let error = tasks.update(&nameless, &post).await.unwrap_err();
    assert!(
        error.to_string().contains("the object has no name"),
        "{error}"
    );
    assert!(server.is_untouched());
}

#[tokio::test]
async fn dynamic_kinds_have_the_same_verbs() {
    let (server, tasks) = serve(&stored());
    let client = tasks.client().clone();
    let kind = ApiResource::erase::<GPUTask>(&());
    let tasks = TypedClient::<DynamicObject>::namespaced_with(client, "default", kind);
    assert!(format!("{tasks:?}").contains("GPUTask"), "{tasks:?}");
    let tasks = tasks.clone();
    let task = tasks.get("train", &GetParams::default()).await.unwrap();
    assert_eq!(server.last().0, format!("GET {TASKS}/train"));
    tasks.update(&task, &PostParams::default()).await.unwrap();
    let (path, _, body) = server.last();
    assert_eq!((path, body), (format!("PUT {TASKS}/train?"), stored()));

    let part = json!({"spec": {"gpu": "h100"}});
    let params = PatchParams::apply("demo");
    tasks.apply("train", &part, &params).await.unwrap();
    let expected = json!({
        "apiVersion": "falldio.com/v1",
        "kind": "GPUTask",
        "metadata": {"name": "train"},
        "spec": {"gpu": "h100"},
    });
    assert_eq!(server.last().2, expected);

    let kind = ApiResource::erase::<GPUTask>(&());
    let cluster = TypedClient::<DynamicObject>::cluster_with(tasks.client().clone(), kind);
    cluster.get("train", &GetParams::default()).await.unwrap();
    assert_eq!(server.last().0, "GET /apis/falldio.com/v1/gputasks/train");
}

#[tokio::test]
async fn cluster_scoped_objects_need_no_namespace() {
    let (server, tasks) = serve(&stored());
    let cluster = TypedClient::<GPUTask>::cluster(tasks.client().clone());
    assert_eq!(cluster.namespace(), None);
    cluster
        .create(&task(), &PostParams::default())
        .await
        .unwrap();
    assert_eq!(server.last().0, "POST /apis/falldio.com/v1/gputasks?");
    cluster.get("train", &GetParams::default()).await.unwrap();
    assert_eq!(server.last().0, "GET /apis/falldio.com/v1/gputasks/train");
}

/// client-go's `TestTransformUnstructuredError`: proxies answer with bodies of their own.
#[tokio::test]
async fn errors_that_are_no_status_are_told_by_their_code() {
    let status = json!({"kind": "Status", "status": "Failure", "reason": "Gone", "code": 410});
    for (code, text, reason, message) in [
        (
            404,
            "404 page not found\n".to_owned(),
            "NotFound",
            "404 page not found",
        ),
        (503, String::new(), "ServiceUnavailable", ""),
        (301, "moved".to_owned(), "MovedPermanently", "moved"),
        // The content of the `Status` counts, not the HTTP status code.
        (400, status.to_string(), "Gone", ""),
        (
            500,
            json!({"kind": "Pod"}).to_string(),
            "InternalServerError",
            r#"{"kind":"Pod"}"#,
        ),
    ] {
        let service = tower::service_fn(move |_: Request<Body>| {
            let answer = Response::builder().status(code);
            let answer = answer.body(Body::from(text.clone().into_bytes()));
            async { Ok::<_, genclient::kube::Error>(answer.unwrap()) }
        });
        let client = Client::new(service, "default");
        let tasks = TypedClient::<GPUTask>::namespaced(client, "default");
        let error = tasks.get("train", &GetParams::default()).await.unwrap_err();
        let genclient::kube::Error::Api(status) = error else {
            panic!("{error}");
        };
        assert_eq!((&*status.reason, &*status.message), (reason, message));
        assert_eq!(status.code, if reason == "Gone" { 410 } else { code });
    }
}
