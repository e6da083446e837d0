//! Tests of shard selectors: which objects lists, watches and deletions of a collection select by
//! ranges of hashes, and the API server's answer to each selector of `shards.txt`.
//!
//! A unit test compares the parser of the API server in the process with the same table.

use std::time::Duration;

use e2e::{ControlPlane, eventually};
use futures::TryStreamExt;
use genclient::client::{ListParams, ShardField, ShardSelector, TypedClient};
use genclient::informer::SharedInformerFactory;
use genclient_apimachinery::sharding::hash;
use http::Request;
use http_body_util::BodyExt as _;
use k8s_openapi::api::core::v1::ConfigMap;
use kube::Client;
use kube::api::{DynamicObject, WatchEvent};
use libtest_mimic::Failed;
use serde_json::{Value, json};
use tokio::time::timeout;

use crate::crds::GPU_TASKS;
use crate::suite::{Outcome, Suite};

const TABLE: &str = include_str!("shards.txt");
const PATH: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/shards.txt");

const PARTIAL: &str = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1";
const ROWS: &str = "application/json;as=Table;g=meta.k8s.io;v=v1";
const WHOLE: &str = "application/json";

pub(crate) fn tests(suite: &mut Suite) {
    suite.both("shards::answers_are_recorded", answers_are_recorded);
    suite.both(
        "shards::lists_have_the_objects_of_their_ranges",
        lists_have_the_objects_of_their_ranges,
    );
    suite.both(
        "shards::cluster_scoped_objects_have_an_empty_namespace",
        cluster_scoped_objects_have_an_empty_namespace,
    );
    suite.both(
        "shards::watches_have_the_events_of_their_ranges",
        watches_have_the_events_of_their_ranges,
    );
    suite.both(
        "shards::collections_are_deleted_in_part",
        collections_are_deleted_in_part,
    );
    suite.both("shards::other_errors_come_first", other_errors_come_first);
    suite.both(
        "shards::clients_and_informers_read_their_ranges",
        clients_and_informers_read_their_ranges,
    );
}

async fn answers_are_recorded(plane: &ControlPlane) -> Outcome {
    let mut said = String::new();
    for line in TABLE.lines().filter(|line| !line.starts_with("  ")) {
        said.push_str(line);
        said.push('\n');
        if line.starts_with('"') {
            let selector: String = serde_json::from_str(line)?;
            let path = format!("/api/v1/namespaces?shardSelector={}", encode(&selector));
            let (code, body) = get(&plane.client(), &path, WHOLE).await?;
            said.push_str(&match body["metadata"]["shardInfo"]["selector"].as_str() {
                Some(applied) => format!("  applied {applied}\n"),
                None => format!("  {code} {}\n", recorded_message(&body)),
            });
        }
    }
    e2e::suite::compare_with_recording(PATH, TABLE, &said)
}

/// Returns the message of a Status, a syntax error without its details.
fn recorded_message(status: &Value) -> String {
    let message = status["message"].as_str().unwrap_or_default();
    match message.split_once("Syntax error:") {
        Some((before, _)) => format!("{before}Syntax error"),
        None => message.to_owned(),
    }
}

async fn lists_have_the_objects_of_their_ranges(plane: &ControlPlane) -> Outcome {
    plane.apply_crd(GPU_TASKS).await?;
    let namespace = plane.create_namespace("shards").await?;
    let client = plane.client();
    let team = hash(&namespace);
    let selectors = [
        (ShardField::Uid, vec![0..=u64::MAX / 2]),
        (ShardField::Uid, vec![u64::MAX / 2 + 1..=u64::MAX]),
        (ShardField::Uid, vec![0..=1 << 62, 3 << 62..=u64::MAX]),
        (ShardField::Namespace, vec![team..=team]),
        (
            ShardField::Namespace,
            vec![0..=team - 1, team + 1..=u64::MAX],
        ),
    ];
    for collection in [config_maps(&namespace), gpu_tasks(&namespace)] {
        for number in 0..12 {
            collection
                .create(&client, &format!("object-{number:02}"))
                .await?;
        }
        let (_, list) = get(&client, &collection.path, WHOLE).await?;
        let objects = names_and_uids(&list);
        for (field, ranges) in selectors.clone() {
            let selector = ShardSelector::new(field, ranges).ok_or("an empty range")?;
            check_list(&client, &collection, &objects, &selector).await?;
        }
    }
    Ok(())
}

/// Checks the lists of `objects` with a selector: in each representation, and in pages.
async fn check_list(
    client: &Client,
    collection: &Collection,
    objects: &[(String, String)],
    selector: &ShardSelector,
) -> Outcome {
    let is_selected = |uid: &str| match selector.field() {
        ShardField::Uid => selector.matches(uid),
        ShardField::Namespace => selector.matches(&collection.namespace),
    };
    let path = format!(
        "{}?shardSelector={}",
        collection.path,
        encode(&selector.to_string())
    );
    let selected: Vec<_> = objects.iter().filter(|(_, uid)| is_selected(uid)).collect();
    for accept in [WHOLE, PARTIAL, ROWS] {
        let (code, list) = get(client, &path, accept).await?;
        assert_eq!(code, 200, "{list}");
        let found = names_and_uids(&list);
        assert!(
            found.iter().eq(selected.iter().copied()),
            "{selector}: {list}"
        );
        let has_info = accept == WHOLE && collection.has_shard_info;
        let info = has_info.then(|| json!({ "selector": selector.to_string() }));
        assert_eq!(list["metadata"].get("shardInfo"), info.as_ref(), "{accept}");
    }
    for limit in 1..4 {
        let mut rest = objects;
        let mut next = String::new();
        loop {
            let paged = format!("{path}&limit={limit}&continue={next}");
            let (_, page) = get(client, &paged, WHOLE).await?;
            let before = rest.len();
            let mut names = Vec::new();
            while let Some(((name, uid), others)) = rest.split_first()
                && names.len() < limit
            {
                rest = others;
                names.extend(is_selected(uid).then_some(name.as_str()));
            }
            let found = names_and_uids(&page);
            assert!(found.iter().map(|(name, _)| name).eq(names), "{page}");
            // Objects outside the ranges count as well.
            let remaining = (!rest.is_empty()).then(|| before - limit);
            let found = page["metadata"]["remainingItemCount"].as_u64();
            assert_eq!(found, remaining.map(|it| it as u64), "{page}");
            next = page["metadata"]["continue"]
                .as_str()
                .unwrap_or_default()
                .to_owned();
            assert_eq!(next.is_empty(), rest.is_empty(), "{page}");
            if next.is_empty() {
                break;
            }
        }
    }
    Ok(())
}

async fn cluster_scoped_objects_have_an_empty_namespace(plane: &ControlPlane) -> Outcome {
    let name = plane.create_namespace("shards").await?;
    let empty = hash("");
    for (range, count) in [(empty..=empty, 1), (0..=empty - 1, 0)] {
        let selector =
            ShardSelector::new(ShardField::Namespace, [range]).ok_or("an empty range")?;
        let encoded = encode(&selector.to_string());
        let path = format!(
            "/api/v1/namespaces?fieldSelector=metadata.name%3D{name}&shardSelector={encoded}"
        );
        let (_, list) = get(&plane.client(), &path, WHOLE).await?;
        assert_eq!(names_and_uids(&list).len(), count, "{list}");
    }
    Ok(())
}

async fn watches_have_the_events_of_their_ranges(plane: &ControlPlane) -> Outcome {
    plane.apply_crd(GPU_TASKS).await?;
    let namespace = plane.create_namespace("shards").await?;
    let client = plane.client();
    let half = ShardSelector::new(ShardField::Uid, [0..=u64::MAX / 2]).ok_or("an empty range")?;
    for collection in [config_maps(&namespace), gpu_tasks(&namespace)] {
        for number in 0..6 {
            collection.create(&client, &format!("old-{number}")).await?;
        }
        let path = format!(
            "{}?watch=true&timeoutSeconds=60&sendInitialEvents=true&allowWatchBookmarks=true\
             &resourceVersionMatch=NotOlderThan&labelSelector=app%3Dweb&shardSelector={}",
            collection.path,
            encode(&half.to_string())
        );
        let request = Request::get(path).body(Vec::new())?;
        let events = client.request_events::<DynamicObject>(request).await?;
        let mut events = std::pin::pin!(events);
        let (_, list) = get(&client, &collection.path, WHOLE).await?;
        let mut expected: Vec<_> = names_and_uids(&list)
            .into_iter()
            .filter(|(_, uid)| half.matches(uid))
            .map(|(name, _)| format!("ADDED {name}"))
            .collect();
        expected.push("BOOKMARK".to_owned());
        let mut number = 0;
        // The last object is in the half.
        loop {
            let name = format!("new-{number}");
            let uid = collection.create(&client, &name).await?;
            for app in ["web", "db"] {
                let patch = json!({ "metadata": {
                    "labels": { "app": app }, "annotations": { "app": app },
                } });
                collection.patch(&client, &name, &patch).await?;
            }
            if half.matches(&uid) {
                let changes = ["ADDED", "MODIFIED", "DELETED"];
                expected.extend(changes.map(|change| format!("{change} {name}")));
            }
            number += 1;
            if number > 6 && half.matches(&uid) {
                break;
            }
        }
        let mut found = Vec::new();
        while found.len() < expected.len() {
            let event = timeout(Duration::from_secs(20), events.try_next()).await??;
            let (change, object) = match event.ok_or("the watch has ended")? {
                WatchEvent::Bookmark(mark) => {
                    if mark
                        .metadata
                        .annotations
                        .contains_key("k8s.io/initial-events-end")
                    {
                        found.push("BOOKMARK".to_owned());
                    }
                    continue;
                }
                WatchEvent::Added(object) => ("ADDED", object),
                WatchEvent::Modified(object) => ("MODIFIED", object),
                WatchEvent::Deleted(object) => ("DELETED", object),
                WatchEvent::Error(status) => return Err(status.message.into()),
            };
            found.push(format!(
                "{change} {}",
                object.metadata.name.unwrap_or_default()
            ));
        }
        assert_eq!(found, expected);
    }
    Ok(())
}

async fn collections_are_deleted_in_part(plane: &ControlPlane) -> Outcome {
    let namespace = plane.create_namespace("shards").await?;
    let client = plane.client();
    let half = ShardSelector::new(ShardField::Uid, [0..=u64::MAX / 2]).ok_or("an empty range")?;
    let collection = config_maps(&namespace);
    for number in 0..12 {
        collection
            .create(&client, &format!("object-{number:02}"))
            .await?;
    }
    let (_, list) = get(&client, &collection.path, WHOLE).await?;
    let (deleted, kept): (Vec<_>, Vec<_>) = names_and_uids(&list)
        .into_iter()
        .partition(|(_, uid)| half.matches(uid));
    let selector = encode(&half.to_string());
    let path = format!("{}?shardSelector={selector}", collection.path);
    let (code, answer) = send(&client, Request::delete(path), WHOLE, &Value::Null).await?;
    assert_eq!(code, 200, "{answer}");
    assert_eq!(names_and_uids(&answer), deleted);
    assert_eq!(
        answer["metadata"]["shardInfo"]["selector"],
        half.to_string()
    );
    let (_, list) = get(&client, &collection.path, WHOLE).await?;
    assert_eq!(names_and_uids(&list), kept);
    Ok(())
}

async fn other_errors_come_first(plane: &ControlPlane) -> Outcome {
    let refused = "invalid shard selector: unexpected expression kind 3; expected shardRange() call \
                   or || operator";
    for (query, code, message) in [
        ("", 500, refused),
        ("&shardSelector=", 500, refused),
        ("&continue=x", 500, refused),
        ("&resourceVersion=x", 500, refused),
        ("&limit=-1", 500, refused),
        ("&watch=true", 500, refused),
        ("&watch=true&resourceVersion=x", 500, refused),
        (
            "&limit=x",
            400,
            r#"strconv.ParseInt: parsing "x": invalid syntax"#,
        ),
        (
            "&labelSelector=a%20in",
            400,
            "unable to parse requirement: found '' expected: '('",
        ),
        (
            "&labelSelector=a%20in&timeoutSeconds=x",
            400,
            r#"strconv.ParseInt: parsing "x": invalid syntax"#,
        ),
        (
            "&watch=true&limit=x",
            400,
            r#"strconv.ParseInt: parsing "x": invalid syntax"#,
        ),
        (
            "&fieldSelector=a.b%3Dc",
            400,
            r#""a.b" is not a known field selector: only "metadata.name", "metadata.namespace""#,
        ),
        (
            "&fieldSelector=a.b%3Dc&sendInitialEvents=true",
            422,
            r#"ListOptions.meta.k8s.io "" is invalid: sendInitialEvents: Forbidden: sendInitialEvents is forbidden for list"#,
        ),
        (
            "&watch=true&labelSelector=a%20in&sendInitialEvents=true",
            400,
            "unable to parse requirement: found '' expected: '('",
        ),
    ] {
        let path = format!("/api/v1/namespaces/default/configmaps?shardSelector=x{query}");
        let (found, status) = get(&plane.client(), &path, WHOLE).await?;
        assert_eq!(
            (found, &status["message"]),
            (code, &json!(message)),
            "{path}"
        );
    }
    let path = "/api/v1/namespaces/default/configmaps?shardSelector=&shardSelector=x";
    let (code, list) = get(&plane.client(), path, WHOLE).await?;
    assert_eq!((code, &list["metadata"]["shardInfo"]), (200, &Value::Null));
    Ok(())
}

async fn clients_and_informers_read_their_ranges(plane: &ControlPlane) -> Outcome {
    let namespace = plane.create_namespace("shards").await?;
    let client = plane.client();
    let collection = config_maps(&namespace);
    let half = ShardSelector::new(ShardField::Uid, [0..=u64::MAX / 2]).ok_or("an empty range")?;
    let factory = SharedInformerFactory::builder(client.clone())
        .namespace(&namespace)
        .tweak_list_params(|selectors| selectors.shards = Some(half.clone()))
        .build();
    let informer = factory.informer_for::<ConfigMap>();
    let name = |object: &ConfigMap| object.metadata.name.clone().unwrap_or_default();
    // The first half is listed, the second is watched.
    for number in 0..24 {
        if number == 12 {
            factory.start();
            factory.wait_for_cache_sync().await?;
        }
        let name = format!("object-{number:02}");
        collection.create(&client, &name).await?;
    }
    let (_, all) = get(&client, &collection.path, WHOLE).await?;
    let expected: Vec<_> = names_and_uids(&all)
        .into_iter()
        .filter(|(_, uid)| half.matches(uid))
        .map(|(name, _)| name)
        .collect();
    let maps = TypedClient::<ConfigMap>::namespaced(client, &namespace);
    let list = maps.list_shards(&ListParams::default(), &half).await?;
    let listed: Vec<_> = list.items.iter().map(name).collect();
    assert_eq!(listed, expected);
    let applied = list.metadata.shard_info.map(|info| info.selector);
    assert_eq!(applied, Some(half.to_string()));
    eventually("the objects of the ranges", async || {
        let cached = informer.indexer().list();
        let mut names: Vec<_> = cached.iter().map(|object| name(object)).collect();
        names.sort_unstable();
        if names == expected {
            Ok(())
        } else {
            Err(format!("{names:?}"))
        }
    })
    .await?;
    factory.shutdown().await;
    Ok(())
}

/// Objects of a kind in a namespace.
struct Collection {
    namespace: String,
    path: String,
    /// An object without a name.
    object: Value,
    /// Whether a list shows its shard selector.
    has_shard_info: bool,
}

fn config_maps(namespace: &str) -> Collection {
    Collection {
        namespace: namespace.to_owned(),
        path: format!("/api/v1/namespaces/{namespace}/configmaps"),
        object: json!({}),
        has_shard_info: true,
    }
}

fn gpu_tasks(namespace: &str) -> Collection {
    Collection {
        namespace: namespace.to_owned(),
        path: format!("/apis/falldio.com/v1/namespaces/{namespace}/gputasks"),
        object: json!({
            "apiVersion": "falldio.com/v1",
            "kind": "GPUTask",
            "spec": {"memory": "4Gi", "gpu": "a100", "gpu-amount": "1", "cpu": "1", "priority": ""},
        }),
        has_shard_info: false,
    }
}

impl Collection {
    /// Creates an object with the label `app: web`. Returns its uid.
    async fn create(&self, client: &Client, name: &str) -> Result<String, Failed> {
        let mut object = self.object.clone();
        object["metadata"] = json!({ "name": name, "labels": { "app": "web" } });
        let (code, created) = send(client, Request::post(&self.path), WHOLE, &object).await?;
        assert_eq!(code, 201, "{created}");
        let uid = created["metadata"]["uid"].as_str();
        Ok(uid.ok_or("no uid")?.to_owned())
    }

    async fn patch(&self, client: &Client, name: &str, patch: &Value) -> Outcome {
        let request = Request::patch(format!("{}/{name}", self.path))
            .header("content-type", "application/merge-patch+json");
        let (code, patched) = send(client, request, WHOLE, patch).await?;
        assert_eq!(code, 200, "{patched}");
        Ok(())
    }
}

async fn get(client: &Client, path: &str, accept: &str) -> Result<(u16, Value), Failed> {
    send(client, Request::get(path), accept, &Value::Null).await
}

async fn send(
    client: &Client,
    request: http::request::Builder,
    accept: &str,
    body: &Value,
) -> Result<(u16, Value), Failed> {
    let content = match body {
        Value::Null => Vec::new(),
        body => body.to_string().into_bytes(),
    };
    let complete = request.header("accept", accept).body(content.into())?;
    let response = client.send(complete).await?;
    let code = response.status().as_u16();
    let text = response.into_body().collect().await?.to_bytes();
    Ok((code, serde_json::from_slice(&text)?))
}

/// Returns the name and the uid of each object in a list or a table.
fn names_and_uids(list: &Value) -> Vec<(String, String)> {
    let items = [&list["items"], &list["rows"]]
        .into_iter()
        .filter_map(Value::as_array);
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    items
        .flatten()
        .map(|item| match &item["object"]["metadata"] {
            Value::Null => &item["metadata"],
            metadata => metadata,
        })
        .map(|metadata| (text(&metadata["name"]), text(&metadata["uid"])))
        .collect()
}

/// Encodes the value of a query parameter.
fn encode(value: &str) -> String {
    value.bytes().map(|byte| format!("%{byte:02X}")).collect()
}
