//! Tests of request paths: namespaces, scopes and names of objects.

use genclient::client::{DeleteParams, GetParams, ListParams, PostParams, TypedClient};
use serde_json::json;

use super::apis::v1::GPUTask;
use super::{TASKS, serve, stored, task};

#[tokio::test]
async fn names_cannot_escape_their_path_segment() {
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
async fn all_namespaces_is_rejected_for_named_objects() {
    let (server, tasks) = serve(&json!({"metadata": {}, "items": []}));
    let all = TypedClient::<GPUTask>::all_namespaces(tasks.client().clone());
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
        assert!(
            error.contains("an empty namespace may not be set"),
            "{error}"
        );
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
