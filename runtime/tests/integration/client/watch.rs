//! Tests of the verb `watch`.

use genclient::client::{TypedClient, WatchEvent, WatchParams};
use serde_json::json;

use super::apis::v1::GPUTask;
use super::{Server, TASKS, serve, stored, task};

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
async fn watch_events_are_decoded_until_the_response_ends() {
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
