//! Tests of verbs: requests, responses and errors.

use genclient::client::{
    DeleteParams, Deletion, GetParams, ListParams, PatchParams, PostParams, Scale, ShardField,
    ShardSelector, TypedClient, WatchParams,
};
use genclient::kube::Client;
use genclient::kube::client::Body;
use genclient::kube::core::{ApiResource, DynamicObject};
use http::{Request, Response};
use serde_json::{Value, json};

use super::apis::v1::{GPUTask, GPUTaskSpec};
use super::{Server, TASKS, serve, stored, task};

#[tokio::test]
async fn write_verbs_send_the_object_to_its_path() {
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
async fn read_verbs_send_their_parameters() {
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

    let shards = ShardSelector::new(ShardField::Namespace, [0..=255]).unwrap();
    let sent = "shardSelector=shardRange(object.metadata.namespace,%20'0x0000000000000000',\
                %20'0x0000000000000100')";
    let params = ListParams::default().limit(2);
    tasks.list_shards(&params, &shards).await.unwrap();
    assert_eq!(server.last().0, format!("GET {TASKS}?&limit=2&{sent}"));
    let params = WatchParams::default().timeout(9).disable_bookmarks();
    tasks.watch_shards(&params, "7", &shards).await.unwrap();
    assert_eq!(
        server.last().0,
        format!("GET {TASKS}?&watch=true&timeoutSeconds=9&resourceVersion=7&{sent}")
    );
}

/// As informers read them.
#[tokio::test]
async fn deeply_nested_objects_are_decoded() {
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
async fn delete_distinguishes_accepted_from_completed() {
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
    let everywhere =
        TypedClient::<DynamicObject>::all_namespaces_with(tasks.client().clone(), kind.clone());
    // The answer is an object, and no list.
    assert!(everywhere.list(&ListParams::default()).await.is_err());
    assert_eq!(server.last().0, "GET /apis/falldio.com/v1/gputasks?");

    let cluster = TypedClient::<DynamicObject>::cluster_with(tasks.client().clone(), kind);
    cluster.get("train", &GetParams::default()).await.unwrap();
    assert_eq!(server.last().0, "GET /apis/falldio.com/v1/gputasks/train");
}

/// A proxy can only set the header; a `retryAfterSeconds` of the API server has precedence.
#[tokio::test]
async fn retry_after_is_part_of_the_error() {
    for (details, expected) in [
        (json!(null), 7),
        (json!({"name": "train"}), 7),
        (json!({"retryAfterSeconds": 3}), 3),
    ] {
        let status = json!({"kind": "Status", "status": "Failure", "details": details});
        let service = tower::service_fn(move |_: Request<Body>| {
            let answer = Response::builder()
                .status(429)
                .header("Retry-After", "7")
                .body(Body::from(status.to_string().into_bytes()));
            async { Ok::<_, genclient::kube::Error>(answer.unwrap()) }
        });
        let client = Client::new(service, "default");
        let tasks = TypedClient::<GPUTask>::namespaced(client, "default");
        let error = tasks.get("train", &GetParams::default()).await.unwrap_err();
        let genclient::kube::Error::Api(status) = error else {
            panic!("{error}");
        };
        let details = status.details.as_ref();
        let found = details.map(|details| details.retry_after_seconds);
        assert_eq!(found, Some(expected), "{details:?}");
    }
}

/// client-go's `TestTransformUnstructuredError`: proxies answer with bodies of their own.
#[tokio::test]
async fn errors_without_a_status_are_derived_from_the_code() {
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
            let answer = Response::builder()
                .status(code)
                .body(Body::from(text.clone().into_bytes()));
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
