//! Tests of deadlines: plug-ins and webhooks that wait, or write to the objects that they review.

use std::convert::Infallible;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

use bytes::Bytes;
use genclient::k8s_openapi::api::core::v1::ConfigMap;
use genclient::kube::api::{Api, DeleteParams, ListParams, Patch, PatchParams, PostParams};
use genclient::kube::{Client, Error};
use genclient_apiserver::{AdmissionPlugin, AdmissionRequest, ApiServer, Denied, Operation};
use http::{Request, Response};
use http_body_util::{BodyExt, Full};
use serde_json::{Value, json};
use tokio::time::{Instant, sleep};
use tower::ServiceExt;

const OF_WRITES: &str = "Timeout: request did not complete within requested timeout - context \
                         deadline exceeded";
const ALLOTTED: &str = "Timeout: request did not complete within the allotted timeout";

/// Behavior of a plug-in on a write of a ConfigMap.
#[derive(Clone, Copy, PartialEq)]
enum Habit {
    /// It creates another ConfigMap.
    Creates,
    /// It creates another ConfigMap in a separate task.
    Spawns,
    /// It changes an object that is being deleted.
    Changes,
    Waits,
}

#[derive(Clone)]
struct Plugin(Arc<Shared>);

struct Shared {
    habit: Habit,
    client: OnceLock<Client>,
    began: AtomicUsize,
    ended: AtomicUsize,
}

/// Counts the end of a call, even if the call is dropped.
struct Call<'a>(&'a Shared);

impl Drop for Call<'_> {
    fn drop(&mut self) {
        self.0.ended.fetch_add(1, Ordering::SeqCst);
    }
}

impl AdmissionPlugin for Plugin {
    async fn validate(&self, request: &AdmissionRequest) -> Result<(), Denied> {
        if request.resource.resource != "configmaps" {
            return Ok(());
        }
        let number = self.0.began.fetch_add(1, Ordering::SeqCst);
        let _call = Call(&self.0);
        let maps: Api<ConfigMap> = Api::default_namespaced(self.0.client.get().unwrap().clone());
        let next = map(&format!("next-{number}"));
        let params = PostParams::default();
        let done = match (self.0.habit, request.operation) {
            (Habit::Creates, _) => maps.create(&params, &next).await.map(drop),
            (Habit::Spawns, _) => {
                let create = async move { maps.create(&params, &next).await.map(drop) };
                tokio::spawn(create).await.unwrap()
            }
            (Habit::Changes, Operation::Delete) => {
                let patch = Patch::Merge(json!({ "data": { "number": number.to_string() } }));
                let params = PatchParams::default();
                let patched = maps.patch(&request.name, &params, &patch).await;
                patched.map(drop)
            }
            (Habit::Changes, _) => Ok(()),
            (Habit::Waits, _) => {
                sleep(Duration::from_secs(50)).await;
                Ok(())
            }
        };
        done.map_err(|error| Denied::forbidden(error.to_string()))
    }
}

fn start_server(habit: Habit) -> (ApiServer, Arc<Shared>) {
    let shared = Arc::new(Shared {
        habit,
        client: OnceLock::new(),
        began: AtomicUsize::default(),
        ended: AtomicUsize::default(),
    });
    let server = ApiServer::builder()
        .admission_plugin(Plugin(Arc::clone(&shared)))
        .objects([map("there")])
        .build()
        .unwrap();
    shared.client.set(server.client()).ok().unwrap();
    (server, shared)
}

fn map(name: &str) -> ConfigMap {
    let map = json!({ "metadata": { "name": name, "namespace": "default" } });
    serde_json::from_value(map).unwrap()
}

#[track_caller]
fn check_error(answered: Result<impl std::fmt::Debug, Error>, code: u16, message: &str) {
    let status = match answered {
        Err(Error::Api(status)) => Some(status),
        _ => None,
    };
    let status = status.unwrap();
    assert_eq!((status.code, &*status.message), (code, message));
}

async fn list_names(client: Client) -> Vec<String> {
    let maps: Api<ConfigMap> = Api::default_namespaced(client);
    let maps = maps.list(&ListParams::default()).await.unwrap().items;
    let names = maps.into_iter().filter_map(|map| map.metadata.name);
    names.filter(|name| name != "kube-root-ca.crt").collect()
}

#[tokio::test(start_paused = true)]
async fn recursive_plugin_requests_time_out() {
    for habit in [Habit::Creates, Habit::Spawns] {
        let (server, shared) = start_server(habit);
        let maps: Api<ConfigMap> = Api::default_namespaced(server.client());
        let began = Instant::now();
        let created = maps.create(&PostParams::default(), &map("first")).await;
        check_error(created, 504, OF_WRITES);
        assert_eq!(began.elapsed().as_secs(), 34);
        // Dropped calls end, and spawned ones end at their own deadline.
        sleep(Duration::from_secs(60)).await;
        let (began, ended) = (&shared.began, &shared.ended);
        assert_eq!(began.load(Ordering::SeqCst), ended.load(Ordering::SeqCst));
        assert!(began.load(Ordering::SeqCst) < 2000, "{began:?}");
        assert_eq!(list_names(server.client()).await, ["there"]);
    }
}

#[tokio::test(start_paused = true)]
async fn requests_time_out_on_slow_plugins() {
    let (server, shared) = start_server(Habit::Waits);
    let maps: Api<ConfigMap> = Api::default_namespaced(server.client());
    let began = Instant::now();
    let created = maps.create(&PostParams::default(), &map("first")).await;
    check_error(created, 504, OF_WRITES);
    assert_eq!(began.elapsed().as_secs(), 34);
    let deleted = maps.delete("there", &DeleteParams::default()).await;
    check_error(deleted, 504, OF_WRITES);
    let all = ListParams::default();
    let deleted = maps.delete_collection(&DeleteParams::default(), &all).await;
    // The deadline is later than the plug-in waits.
    assert!(deleted.is_ok(), "{deleted:?}");
    assert_eq!(shared.ended.load(Ordering::SeqCst), 3);
}

#[tokio::test(start_paused = true)]
async fn timeout_parameter_limits_slow_requests() {
    let (server, _) = start_server(Habit::Waits);
    let began = Instant::now();
    let path = "/api/v1/namespaces/default/configmaps";
    let created = post(&server, &format!("{path}?timeout=5s")).await;
    assert_eq!(created["message"], ALLOTTED);
    assert_eq!(
        (created["code"].as_u64(), began.elapsed().as_secs()),
        (Some(504), 5)
    );
    let created = post(&server, &format!("{path}?timeout=5")).await;
    let message =
        r#"invalid timeout specified in the request URL - time: missing unit in duration "5""#;
    assert_eq!(created["message"], message);
}

async fn post(server: &ApiServer, path: &str) -> Value {
    let body = serde_json::to_vec(&map("first")).unwrap();
    let request = Request::post(path).body(Full::new(Bytes::from(body)));
    let response = server.clone().oneshot(request.unwrap()).await.unwrap();
    let body = response.into_body().collect().await.unwrap().to_bytes();
    serde_json::from_slice(&body).unwrap()
}

#[tokio::test(start_paused = true)]
async fn plugins_that_modify_the_deleted_object_time_out() {
    let (server, _) = start_server(Habit::Changes);
    let maps: Api<ConfigMap> = Api::default_namespaced(server.client());
    let began = Instant::now();
    let deleted = maps.delete("there", &DeleteParams::default()).await;
    check_error(deleted, 504, OF_WRITES);
    assert_eq!(began.elapsed().as_secs(), 34);
    assert_eq!(list_names(server.client()).await, ["there"]);
}

/// The collector deletes an object that has lost its owner.
#[tokio::test(start_paused = true)]
async fn garbage_collector_requests_time_out_on_plugins() {
    let (server, _) = start_server(Habit::Changes);
    let maps: Api<ConfigMap> = Api::default_namespaced(server.client());
    let mut orphan = map("orphan");
    let owner = json!({ "apiVersion": "v1", "kind": "ConfigMap", "name": "gone", "uid": "1" });
    orphan.metadata.owner_references = Some(vec![serde_json::from_value(owner).unwrap()]);
    maps.create(&PostParams::default(), &orphan).await.unwrap();
    tokio::time::timeout(Duration::from_secs(600), server.settle())
        .await
        .unwrap();
    assert_eq!(list_names(server.client()).await, ["orphan", "there"]);
}

#[tokio::test(start_paused = true)]
async fn recursive_webhook_requests_time_out() {
    let client: Arc<OnceLock<Client>> = Arc::default();
    let known = Arc::clone(&client);
    let service = tower::service_fn(move |request: Request<Full<Bytes>>| {
        let client = known.get().unwrap().clone();
        async move {
            let maps: Api<ConfigMap> = Api::default_namespaced(client);
            let mut next = map("");
            next.metadata.name = None;
            next.metadata.generate_name = Some("next-".to_owned());
            let _ = maps.create(&PostParams::default(), &next).await;
            Ok::<_, Infallible>(allow(request).await)
        }
    });
    let server = ApiServer::builder()
        .webhook_service("default", "hook", service)
        .objects([configuration(&["loop"])])
        .build()
        .unwrap();
    client.set(server.client()).ok().unwrap();

    let maps: Api<ConfigMap> = Api::default_namespaced(server.client());
    let began = Instant::now();
    let created = maps.create(&PostParams::default(), &map("first")).await;
    let message = "Internal error occurred: failed calling webhook \"loop.example.com\": failed to \
                   call webhook: Post \"https://hook.default.svc:443/?timeout=10s\": context \
                   deadline exceeded";
    check_error(created, 500, message);
    assert_eq!(began.elapsed().as_secs(), 10);
    assert!(list_names(server.client()).await.is_empty());
}

/// The timeout of the second webhook is what the first has left of the request's deadline.
#[tokio::test(start_paused = true)]
async fn webhook_timeout_is_the_remaining_request_deadline() {
    let timeouts: Arc<Mutex<Vec<String>>> = Arc::default();
    let seen = Arc::clone(&timeouts);
    let service = tower::service_fn(move |request: Request<Full<Bytes>>| {
        let query = request.uri().query().unwrap_or_default().to_owned();
        seen.lock().unwrap().push(query);
        async move {
            sleep(Duration::from_secs(25)).await;
            Ok::<_, Infallible>(allow(request).await)
        }
    });
    let mut configuration = configuration(&["first", "second"]);
    configuration["kind"] = "MutatingWebhookConfiguration".into();
    for webhook in configuration["webhooks"].as_array_mut().unwrap() {
        webhook["timeoutSeconds"] = 30.into();
    }
    let server = ApiServer::builder()
        .webhook_service("default", "hook", service)
        .objects([configuration])
        .build()
        .unwrap();
    let maps: Api<ConfigMap> = Api::default_namespaced(server.client());
    let created = maps.create(&PostParams::default(), &map("first")).await;
    check_error(created, 504, OF_WRITES);
    assert_eq!(*timeouts.lock().unwrap(), ["timeout=30s", "timeout=9s"]);
}

async fn allow(request: Request<Full<Bytes>>) -> Response<Full<Bytes>> {
    let body = request.into_body().collect().await.unwrap().to_bytes();
    let review: Value = serde_json::from_slice(&body).unwrap();
    let answer = json!({
        "apiVersion": review["apiVersion"], "kind": review["kind"],
        "response": { "uid": review["request"]["uid"], "allowed": true },
    });
    Response::new(Full::new(Bytes::from(answer.to_string())))
}

fn configuration(webhooks: &[&str]) -> Value {
    let webhooks = webhooks.iter().map(|name| {
        json!({
            "name": format!("{name}.example.com"),
            "clientConfig": { "service": { "namespace": "default", "name": "hook" } },
            "rules": [{
                "apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"],
                "resources": ["configmaps"],
            }],
            "sideEffects": "None",
            "admissionReviewVersions": ["v1"],
        })
    });
    json!({
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": "ValidatingWebhookConfiguration",
        "metadata": { "name": "hooks" },
        "webhooks": webhooks.collect::<Vec<_>>(),
    })
}
