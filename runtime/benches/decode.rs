//! Benchmark of filling a cache, from the bytes of a response to the cached object:
//! `cargo bench -p genclient --bench decode`.
//!
//! The API server is in memory and sends the bytes that a kube-apiserver would, in chunks as from a
//! socket. The baseline is the same objects, parsed one by one and inserted into a map.

#![expect(clippy::unwrap_used, reason = "what is measured is known to be right")]

use std::collections::HashMap;
use std::convert::Infallible;
use std::hint::black_box;
use std::sync::Arc;

use bytes::Bytes;
use divan::counter::{BytesCount, ItemsCount};
use divan::{AllocProfiler, Bencher};
use futures::{StreamExt, stream};
use genclient::informer::{SharedInformerFactory, SharedInformerFactoryBuilder};
use genclient::scheme::Object;
use http::{Request, Response};
use http_body::Frame;
use http_body_util::StreamBody;
use k8s_openapi::api::core::v1::{ConfigMap, Pod};
use kube::Client;
use kube::client::Body;
use kube::core::PartialObjectMeta;
use serde_json::{Value, json};
use tokio::runtime::{Builder, Runtime};

#[global_allocator]
static ALLOCATOR: AllocProfiler = AllocProfiler::system();

/// Bytes per read from a socket.
const CHUNK: usize = 16 << 10;
/// Numbers of objects: a small collection, and the collection of `docs/speed.md`.
const SIZES: [usize; 2] = [1_000, 43_000];

fn main() {
    divan::main();
}

/// How the initial objects are requested.
#[derive(Clone, Copy)]
enum Way {
    Streamed,
    Listed,
}

/// Responses of an API server, prepared to be sent repeatedly.
struct Server {
    chunks: Arc<[Bytes]>,
    size: usize,
    way: Way,
}

impl Server {
    fn new(way: Way, objects: impl Iterator<Item = Value>) -> Self {
        let text = match way {
            Way::Streamed => streamed(objects),
            Way::Listed => listed(objects),
        };
        let text = Bytes::from(text);
        let chunks = (0..text.len()).step_by(CHUNK);
        Self {
            chunks: chunks
                .map(|at| text.slice(at..text.len().min(at + CHUNK)))
                .collect(),
            size: text.len(),
            way,
        }
    }

    fn client(&self) -> Client {
        let (chunks, way) = (Arc::clone(&self.chunks), self.way);
        let service = tower::service_fn(move |request: Request<Body>| {
            let chunks = Arc::clone(&chunks);
            async move {
                let query = request.uri().query().unwrap_or_default();
                let is_first = match way {
                    Way::Streamed => query.contains("sendInitialEvents"),
                    Way::Listed => !query.contains("watch=true"),
                };
                let count = if is_first { chunks.len() } else { 0 };
                let frames =
                    (0..count).map(move |at| Ok::<_, Infallible>(Frame::data(chunks[at].clone())));
                // A watch stays open.
                let rest = if query.contains("watch=true") {
                    stream::pending().left_stream()
                } else {
                    stream::empty().right_stream()
                };
                let body = StreamBody::new(stream::iter(frames).chain(rest));
                Ok::<_, Infallible>(Response::new(body))
            }
        });
        Client::new(service, "default")
    }
}

fn streamed(objects: impl Iterator<Item = Value>) -> Vec<u8> {
    let mut text = Vec::new();
    for object in objects {
        text.extend(format!("{{\"type\":\"ADDED\",\"object\":{object}}}\n").into_bytes());
    }
    let metadata = json!({"resourceVersion": "99999999", "annotations": {"k8s.io/initial-events-end": "true"}});
    text.extend(
        format!("{{\"type\":\"BOOKMARK\",\"object\":{{\"metadata\":{metadata}}}}}\n").into_bytes(),
    );
    text
}

fn listed(objects: impl Iterator<Item = Value>) -> Vec<u8> {
    let items: Vec<String> = objects.map(|object| object.to_string()).collect();
    let items = items.join(",");
    format!(r#"{{"kind":"List","apiVersion":"v1","metadata":{{"resourceVersion":"99999999"}},"items":[{items}]}}"#).into_bytes()
}

// === objects, as the API server stores them ===

fn metadata(number: usize, fields: &Value) -> Value {
    json!({
        "name": format!("object-{number:06}"),
        "namespace": format!("namespace-{}", number % 40),
        "uid": format!("0b1c2d3e-0000-4000-8000-{number:012}"),
        "resourceVersion": (1_000_000 + number).to_string(),
        "creationTimestamp": "2026-05-04T03:02:01Z",
        "labels": {"app.kubernetes.io/name": "web", "app.kubernetes.io/instance": format!("web-{number}")},
        "annotations": {"example.com/checksum": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"},
        "managedFields": [{
            "manager": "kube-controller-manager",
            "operation": "Update",
            "apiVersion": "v1",
            "time": "2026-05-04T03:02:01Z",
            "fieldsType": "FieldsV1",
            "fieldsV1": fields,
        }],
    })
}

fn config_map(number: usize) -> Value {
    let fields = json!({"f:data": {".": {}, "f:settings.yaml": {}, "f:mode": {}}, "f:metadata": {"f:labels": {".": {}, "f:app.kubernetes.io/name": {}}}});
    let settings = "listen: 0.0.0.0:8080\nlog:\n  level: info\n  format: \"json\"\n".repeat(4);
    json!({
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": metadata(number, &fields),
        "data": {"settings.yaml": settings, "mode": "production"},
    })
}

fn pod(number: usize) -> Value {
    let container = json!({
        ".": {}, "f:env": {".": {}, "k:{\"name\":\"POD_NAME\"}": {".": {}, "f:name": {}, "f:valueFrom": {".": {}, "f:fieldRef": {}}}},
        "f:image": {}, "f:imagePullPolicy": {}, "f:name": {}, "f:ports": {".": {}, "k:{\"containerPort\":8080,\"protocol\":\"TCP\"}": {".": {}, "f:containerPort": {}, "f:protocol": {}}},
        "f:resources": {".": {}, "f:limits": {".": {}, "f:cpu": {}, "f:memory": {}}, "f:requests": {".": {}, "f:cpu": {}, "f:memory": {}}},
        "f:terminationMessagePath": {}, "f:terminationMessagePolicy": {},
    });
    let fields = json!({
        "f:metadata": {"f:generateName": {}, "f:labels": {".": {}, "f:app.kubernetes.io/name": {}}, "f:ownerReferences": {".": {}, "k:{\"uid\":\"1\"}": {}}},
        "f:spec": {"f:containers": {"k:{\"name\":\"web\"}": container}, "f:dnsPolicy": {}, "f:enableServiceLinks": {}, "f:restartPolicy": {}, "f:schedulerName": {}, "f:securityContext": {}, "f:terminationGracePeriodSeconds": {}},
        "f:status": {"f:conditions": {"k:{\"type\":\"Ready\"}": {".": {}, "f:lastProbeTime": {}, "f:lastTransitionTime": {}, "f:status": {}, "f:type": {}}}, "f:containerStatuses": {}, "f:hostIP": {}, "f:phase": {}, "f:podIP": {}, "f:podIPs": {}, "f:startTime": {}},
    });
    json!({
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": metadata(number, &fields),
        "spec": {
            "volumes": [{"name": "token", "projected": {"sources": [{"serviceAccountToken": {"expirationSeconds": 3607, "path": "token"}}], "defaultMode": 420}}],
            "containers": [{
                "name": "web",
                "image": "registry.example.com/team/web:1.2.3",
                "ports": [{"containerPort": 8080, "protocol": "TCP"}],
                "env": [{"name": "POD_NAME", "valueFrom": {"fieldRef": {"apiVersion": "v1", "fieldPath": "metadata.name"}}}],
                "resources": {"limits": {"cpu": "2", "memory": "1Gi"}, "requests": {"cpu": "250m", "memory": "256Mi"}},
                "volumeMounts": [{"name": "token", "readOnly": true, "mountPath": "/var/run/secrets"}],
                "terminationMessagePath": "/dev/termination-log",
                "terminationMessagePolicy": "File",
                "imagePullPolicy": "IfNotPresent",
            }],
            "restartPolicy": "Always",
            "terminationGracePeriodSeconds": 30,
            "dnsPolicy": "ClusterFirst",
            "serviceAccountName": "default",
            "nodeName": format!("worker-{}", number % 100),
            "securityContext": {},
            "schedulerName": "default-scheduler",
            "tolerations": [{"key": "node.kubernetes.io/not-ready", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 300}],
            "priority": 0,
            "enableServiceLinks": true,
        },
        "status": pod_status(),
    })
}

fn pod_status() -> Value {
    let condition = |kind| json!({"type": kind, "status": "True", "lastProbeTime": null, "lastTransitionTime": "2026-05-04T03:02:05Z"});
    json!({
        "phase": "Running",
        "conditions": [condition("Initialized"), condition("Ready"), condition("ContainersReady"), condition("PodScheduled")],
        "hostIP": "10.0.0.7",
        "podIP": "10.1.2.3",
        "podIPs": [{"ip": "10.1.2.3"}],
        "startTime": "2026-05-04T03:02:01Z",
        "containerStatuses": [{
            "name": "web",
            "state": {"running": {"startedAt": "2026-05-04T03:02:04Z"}},
            "lastState": {},
            "ready": true,
            "restartCount": 0,
            "image": "registry.example.com/team/web:1.2.3",
            "imageID": "registry.example.com/team/web@sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
            "containerID": "containerd://9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
            "started": true,
        }],
        "qosClass": "Burstable",
    })
}

// === what is measured ===

fn runtime() -> Runtime {
    Builder::new_current_thread().enable_all().build().unwrap()
}

/// Measures the time from an empty to a full cache.
fn fill<K: Object<DynamicType: Default>>(
    bencher: Bencher<'_, '_>,
    way: Way,
    objects: usize,
    make: fn(usize) -> Value,
) {
    fill_with::<K>(bencher, way, objects, make, |builder| builder);
}

fn fill_with<K: Object<DynamicType: Default>>(
    bencher: Bencher<'_, '_>,
    way: Way,
    objects: usize,
    make: fn(usize) -> Value,
    options: fn(SharedInformerFactoryBuilder) -> SharedInformerFactoryBuilder,
) {
    let server = Server::new(way, (0..objects).map(make));
    let runtime = runtime();
    bencher
        .counter(ItemsCount::new(objects))
        .counter(BytesCount::new(server.size))
        .bench_local(|| {
            runtime.block_on(async {
                let builder = options(SharedInformerFactory::builder(server.client()));
                let factory = builder.watch_list(matches!(way, Way::Streamed)).build();
                let informer = factory.informer_for::<K>();
                factory.start();
                informer.wait_for_cache_sync().await.unwrap();
                assert_eq!(informer.indexer().len(), objects);
                factory
            })
        });
}

/// The baseline: every object is parsed and inserted into a map.
fn floor<K: Object>(bencher: Bencher<'_, '_>, objects: usize, make: fn(usize) -> Value) {
    let texts = (0..objects).map(|number| {
        let mut object = make(number);
        let metadata = object["metadata"].as_object_mut().unwrap();
        metadata.remove("managedFields");
        object.to_string()
    });
    let texts: Vec<String> = texts.collect();
    bencher
        .counter(ItemsCount::new(objects))
        .counter(BytesCount::new(
            texts.iter().map(String::len).sum::<usize>(),
        ))
        .bench_local(|| {
            let objects = texts
                .iter()
                .map(|text| serde_json::from_str::<K>(text).unwrap());
            let named = objects.map(|object| {
                let metadata = object.meta();
                let name = (metadata.namespace.clone(), metadata.name.clone());
                (name, Arc::new(object))
            });
            black_box(named.collect::<HashMap<_, _>>())
        });
}

#[divan::bench(args = SIZES)]
fn config_maps_streamed(bencher: Bencher<'_, '_>, objects: usize) {
    fill::<ConfigMap>(bencher, Way::Streamed, objects, config_map);
}

#[divan::bench(args = SIZES)]
fn config_maps_listed(bencher: Bencher<'_, '_>, objects: usize) {
    fill::<ConfigMap>(bencher, Way::Listed, objects, config_map);
}

#[divan::bench(args = SIZES)]
fn config_maps_floor(bencher: Bencher<'_, '_>, objects: usize) {
    floor::<ConfigMap>(bencher, objects, config_map);
}

#[divan::bench(args = SIZES)]
fn pods_streamed(bencher: Bencher<'_, '_>, objects: usize) {
    fill::<Pod>(bencher, Way::Streamed, objects, pod);
}

#[divan::bench(args = SIZES)]
fn pods_listed(bencher: Bencher<'_, '_>, objects: usize) {
    fill::<Pod>(bencher, Way::Listed, objects, pod);
}

#[divan::bench(args = SIZES)]
fn pods_floor(bencher: Bencher<'_, '_>, objects: usize) {
    floor::<Pod>(bencher, objects, pod);
}

/// With `shrink_to_fit`, which copies objects into minimal memory.
#[divan::bench(args = SIZES)]
fn pods_shrunk(bencher: Bencher<'_, '_>, objects: usize) {
    fill_with::<Pod>(
        bencher,
        Way::Streamed,
        objects,
        pod,
        SharedInformerFactoryBuilder::shrink_to_fit,
    );
}

/// Here, the server sends whole objects. A real API server would send only their metadata.
#[divan::bench(args = SIZES)]
fn pods_metadata_streamed(bencher: Bencher<'_, '_>, objects: usize) {
    fill::<PartialObjectMeta<Pod>>(bencher, Way::Streamed, objects, pod);
}
