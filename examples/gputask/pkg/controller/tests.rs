//! Tests of single syncs, against caches and an API server that the test provides.

use std::sync::Arc;

use genclient::kube::client::Body;
use genclient::prelude::{ObjectMeta, Time};
use genclient::record::FakeRecorder;
use k8s_openapi::api::core::v1::PodStatus;
use parking_lot::Mutex;
use serde_json::{Value, json};

use super::*;
use crate::apis::falldio::v1::GPUTaskSpec;

/// Requests and events of one sync.
#[derive(Debug, PartialEq, Eq)]
struct Done {
    requests: Vec<String>,
    events: Vec<String>,
    is_retried: bool,
}

/// A controller with its recorded requests and events.
struct Fixture {
    controller: Controller,
    requests: Arc<Mutex<Vec<(String, Value)>>>,
    events: FakeRecorder,
}

impl Fixture {
    /// Creates a fixture with one task, one Pod, and the status code of every answer.
    fn new(task: Option<GPUTask>, pod: Option<Pod>, answer: u16) -> Self {
        let events = FakeRecorder::new();
        let requests = Arc::new(Mutex::new(Vec::new()));
        let controller = Controller {
            client: client(Arc::clone(&requests), answer),
            tasks: task.into_iter().collect(),
            pods: pod.into_iter().collect(),
            queue: Queue::new(),
            recorder: events.recorder(),
            image: DEFAULT_IMAGE.to_owned(),
            refused: Refused::default(),
            _registrations: Vec::new(),
        };
        Self {
            controller,
            requests,
            events,
        }
    }

    async fn sync(&mut self) -> Done {
        let name = ObjectName::namespaced("default", "train");
        let result = self.controller.sync(&name).await;
        let requests = std::mem::take(&mut *self.requests.lock());
        Done {
            requests: requests.into_iter().map(|(line, _)| line).collect(),
            events: self.events.take(),
            is_retried: result.is_err(),
        }
    }
}

/// Returns a client whose requests are all answered with `code`.
fn client(requests: Arc<Mutex<Vec<(String, Value)>>>, code: u16) -> Client {
    let service = tower::service_fn(move |request: http::Request<Body>| {
        let requests = Arc::clone(&requests);
        async move {
            let line = format!("{} {}", request.method(), request.uri().path());
            let body = request.into_body().collect_bytes().await?;
            let body = serde_json::from_slice(&body).unwrap_or_default();
            requests.lock().push((line, body));
            let answer = match code {
                200 => json!({ "metadata": { "name": "train" } }),
                _ => {
                    json!({ "kind": "Status", "status": "Failure", "code": code, "message": "no" })
                }
            };
            let body = Body::from(answer.to_string().into_bytes());
            http::Response::builder()
                .status(code)
                .body(body)
                .map_err(genclient::kube::Error::HttpError)
        }
    });
    Client::new(service, "default")
}

fn task(change: impl FnOnce(&mut GPUTask)) -> Option<GPUTask> {
    let mut task = GPUTask {
        metadata: ObjectMeta {
            name: Some("train".to_owned()),
            namespace: Some("default".to_owned()),
            uid: Some("task-uid".to_owned()),
            generation: Some(2),
            resource_version: Some("7".to_owned()),
            ..ObjectMeta::default()
        },
        spec: GPUTaskSpec {
            memory: "4Gi".to_owned(),
            gpu: "a100".to_owned(),
            gpu_amount: "1".to_owned(),
            cpu: "500m".to_owned(),
            priority: String::new(),
        },
    };
    change(&mut task);
    Some(task)
}

/// Returns a Pod with this owner, for this generation of its task.
fn pod(uid: &str, generation: i64, change: impl FnOnce(&mut Pod)) -> Option<Pod> {
    let owner = task(|task| {
        task.metadata.uid = Some(uid.to_owned());
        task.metadata.generation = Some(generation);
    });
    let mut pod = pod::of(&owner?, DEFAULT_IMAGE).ok()?;
    pod.metadata.uid = Some("pod-uid".to_owned());
    change(&mut pod);
    Some(pod)
}

fn now() -> Option<Time> {
    Some(Time(k8s_openapi::jiff::Timestamp::UNIX_EPOCH))
}

const CREATE: &str = "POST /api/v1/namespaces/default/pods";
const DELETE: &str = "DELETE /api/v1/namespaces/default/pods/train";

#[track_caller]
fn check(found: &Done, requests: &[&str], events: &[&str], is_retried: bool) {
    assert_eq!(found.requests, requests);
    assert_eq!(found.events.len(), events.len(), "{:?}", found.events);
    for (found, expected) in found.events.iter().zip(events) {
        assert!(found.starts_with(expected), "{found}");
    }
    assert_eq!(found.is_retried, is_retried);
}

async fn sync(task: Option<GPUTask>, pod: Option<Pod>, answer: u16) -> Done {
    Fixture::new(task, pod, answer).sync().await
}

#[tokio::test]
async fn task_without_a_pod_gets_one() {
    let task = || task(|_| {});
    check(
        &sync(task(), None, 200).await,
        &[CREATE],
        &["Normal Synced"],
        false,
    );
    check(
        &sync(task(), None, 422).await,
        &[CREATE],
        &["Warning InvalidPod"],
        false,
    );
    // Errors that resolve over time: a Pod of that name that is not cached yet, quotas, a priority
    // class that is created later, a failing server.
    for answer in [400, 403, 409, 429, 500, 503] {
        check(&sync(task(), None, answer).await, &[CREATE], &[], true);
    }
}

#[tokio::test]
async fn task_with_its_pod_is_left_alone() {
    check(
        &sync(task(|_| {}), pod("task-uid", 2, |_| {}), 200).await,
        &[],
        &[],
        false,
    );
    // The Pod was made for a generation that the cache does not have yet.
    check(
        &sync(task(|_| {}), pod("task-uid", 3, |_| {}), 200).await,
        &[],
        &[],
        false,
    );
    let dying = pod("task-uid", 1, |pod| pod.metadata.deletion_timestamp = now());
    check(&sync(task(|_| {}), dying, 200).await, &[], &[], false);
}

#[tokio::test]
async fn outdated_pod_is_deleted() {
    for (uid, generation) in [("task-uid", 1), ("uid-of-an-earlier-task", 9)] {
        for (answer, is_retried) in [(200, false), (404, false), (409, false), (500, true)] {
            let done = sync(task(|_| {}), pod(uid, generation, |_| {}), answer).await;
            check(&done, &[DELETE], &[], is_retried);
        }
    }
}

#[tokio::test]
async fn foreign_pod_is_never_touched() {
    let changes: [fn(&mut Pod); 3] = [
        |pod| pod.metadata.owner_references = None,
        |pod| {
            pod.metadata
                .owner_references
                .iter_mut()
                .flatten()
                .for_each(|owner| owner.kind = "Job".to_owned())
        },
        |pod| {
            pod.metadata
                .owner_references
                .iter_mut()
                .flatten()
                .for_each(|owner| owner.controller = None)
        },
    ];
    for change in changes {
        let foreign = || pod("another-uid", 1, change);
        let events = ["Warning ErrResourceExists"];
        check(
            &sync(task(|_| {}), foreign(), 200).await,
            &[],
            &events,
            false,
        );
        check(&sync(None, foreign(), 200).await, &[], &[], false);
    }
}

#[tokio::test]
async fn pod_of_a_deleted_task_is_deleted() {
    check(
        &sync(None, pod("task-uid", 2, |_| {}), 200).await,
        &[DELETE],
        &[],
        false,
    );
    check(&sync(None, None, 200).await, &[], &[], false);
    // The Pod is not deleted before the task is gone: the deleting client may want to keep it.
    let going = task(|task| task.metadata.deletion_timestamp = now());
    check(
        &sync(going, pod("task-uid", 1, |_| {}), 200).await,
        &[],
        &[],
        false,
    );
}

#[tokio::test]
async fn pod_deletion_has_a_uid_precondition() {
    let fixture = Fixture::new(None, pod("task-uid", 2, |_| {}), 200);
    let name = ObjectName::namespaced("default", "train");
    fixture.controller.sync(&name).await.unwrap();
    let requests = fixture.requests.lock();
    assert_eq!(requests[0].1["preconditions"], json!({ "uid": "pod-uid" }));
}

#[tokio::test]
async fn invalid_task_is_reported_once_until_it_changes() {
    let bad = |version: &str| {
        task(|task| {
            task.spec.memory = "lots".to_owned();
            task.metadata.resource_version = Some(version.to_owned());
        })
    };
    let mut fixture = Fixture::new(bad("7"), None, 200);
    check(
        &fixture.sync().await,
        &[],
        &["Warning InvalidQuantity spec.memory: \"lots\""],
        false,
    );
    check(&fixture.sync().await, &[], &[], false);
    fixture.controller.tasks = bad("8").into_iter().collect();
    check(
        &fixture.sync().await,
        &[],
        &["Warning InvalidQuantity"],
        false,
    );
    fixture.controller.tasks = task(|_| {}).into_iter().collect();
    check(&fixture.sync().await, &[CREATE], &["Normal Synced"], false);
}

#[tokio::test(start_paused = true)]
async fn rescheduling_deletes_own_unfinished_pods() {
    let phase = |phase: &str| {
        let phase = Some(phase.to_owned());
        move |pod: &mut Pod| {
            pod.status = Some(PodStatus {
                phase,
                ..PodStatus::default()
            })
        }
    };
    for (task, pod, is_moved) in [
        (task(|_| {}), pod("task-uid", 2, |_| {}), true),
        (task(|_| {}), pod("task-uid", 2, phase("Running")), true),
        (task(|_| {}), pod("task-uid", 2, phase("Succeeded")), false),
        (task(|_| {}), pod("task-uid", 2, phase("Failed")), false),
        (
            task(|_| {}),
            pod("task-uid", 2, |pod| pod.metadata.labels = None),
            false,
        ),
        (
            task(|_| {}),
            pod("task-uid", 2, |pod| pod.metadata.owner_references = None),
            false,
        ),
        (
            task(|_| {}),
            pod("task-uid", 2, |pod| pod.metadata.deletion_timestamp = now()),
            false,
        ),
        (None, pod("task-uid", 2, |_| {}), false),
    ] {
        let fixture = Fixture::new(task, pod, 200);
        let period = Duration::from_secs(600);
        let rounds = fixture.controller.reschedule_every(period);
        let just_once = tokio::time::timeout(period * 3 / 2, rounds).await;
        assert!(just_once.is_err(), "it ended");
        let requests = fixture.requests.lock();
        let requests: Vec<_> = requests.iter().map(|(line, _)| line.as_str()).collect();
        let expected: &[&str] = if is_moved { &[DELETE] } else { &[] };
        assert_eq!(requests, expected);
    }
}
