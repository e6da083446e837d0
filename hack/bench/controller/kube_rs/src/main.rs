//! Benchmark of a kube-rs controller: one measurement per run, printed as JSON.
//!
//! `start OBJECTS NAME` reconciles that many objects, `create OBJECTS NAME` creates a ConfigMap for
//! each, and `watch OBJECTS UPDATES` prints the time of the reconcile of each update.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use futures::StreamExt;
use k8s_openapi::api::core::v1::ConfigMap;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use kube::api::PostParams;
use kube::runtime::controller::{Action, Config, Controller};
use kube::runtime::watcher;
use kube::{Api, Client, CustomResource, Resource, ResourceExt};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio::sync::Notify;

#[derive(CustomResource, Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[kube(group = "samplecontroller.k8s.io", version = "v1alpha1", kind = "Foo", namespaced, status = "FooStatus")]
#[serde(rename_all = "camelCase")]
pub struct FooSpec {
    deployment_name: String,
    replicas: Option<i32>,
}

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FooStatus {
    available_replicas: i32,
}

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;
/// The version of a reconciled object, and the time of the reconcile.
type Seen = (String, u64);

const WORKERS: u16 = 4;

struct Reconciling {
    client: Client,
    /// Suffix of the names of created ConfigMaps; `None` creates none.
    suffix: Option<String>,
    reconciles: Arc<Reconciles>,
}

async fn reconcile(foo: Arc<Foo>, context: Arc<Reconciling>) -> kube::Result<Action> {
    if let Some(suffix) = &context.suffix {
        create(&context.client, &foo, suffix).await?;
    }
    context.reconciles.note(&foo);
    Ok(Action::await_change())
}

async fn create(client: &Client, foo: &Foo, suffix: &str) -> kube::Result<()> {
    let namespace = foo.namespace().unwrap_or_default();
    let map = ConfigMap {
        metadata: ObjectMeta {
            namespace: Some(namespace.clone()),
            name: Some(format!("{}-{suffix}", foo.name_any())),
            owner_references: foo.controller_owner_ref(&()).map(|owner| vec![owner]),
            ..ObjectMeta::default()
        },
        data: Some([("deployment".to_owned(), foo.spec.deployment_name.clone())].into()),
        ..ConfigMap::default()
    };
    let created = Api::<ConfigMap>::namespaced(client.clone(), &namespace).create(&PostParams::default(), &map).await;
    match created {
        Err(kube::Error::Api(status)) if status.code == 409 => Ok(()),
        created => created.map(drop),
    }
}

/// Recorded reconciles of a controller. The waiting task is woken once: waking it for each
/// reconcile would cost more than the reconciles.
#[derive(Default)]
struct Reconciles {
    noted: Mutex<Noted>,
    all: Notify,
}

#[derive(Default)]
struct Noted {
    versions: HashSet<String>,
    seen: Vec<Seen>,
    /// The number of reconciles to wait for.
    wanted: usize,
}

impl Reconciles {
    /// Records that the object was reconciled now. A version counts once.
    fn note(&self, foo: &Foo) {
        let version = foo.resource_version().unwrap_or_default();
        let mut noted = self.noted.lock().unwrap_or_else(PoisonError::into_inner);
        if noted.versions.insert(version.clone()) {
            noted.seen.push((version, now()));
            if noted.seen.len() == noted.wanted {
                self.all.notify_one();
            }
        }
    }

    /// Waits for this number of versions that were not reconciled before.
    async fn next(&self, count: usize) -> Vec<Seen> {
        loop {
            {
                let mut noted = self.noted.lock().unwrap_or_else(PoisonError::into_inner);
                noted.wanted = count;
                if noted.seen.len() >= count {
                    return std::mem::take(&mut noted.seen);
                }
            }
            self.all.notified().await;
        }
    }
}

/// Runs the controller in the background.
fn run(client: Client, suffix: Option<String>) -> Arc<Reconciles> {
    let reconciles = Arc::<Reconciles>::default();
    let context = Reconciling { client: client.clone(), suffix, reconciles: reconciles.clone() };
    let streamed = watcher::Config::default().streaming_lists();
    let controller = Controller::new(Api::<Foo>::all(client), streamed).with_config(Config::default().concurrency(WORKERS));
    let failed = |_: Arc<Foo>, _: &kube::Error, _: Arc<Reconciling>| Action::requeue(Duration::from_secs(1));
    tokio::spawn(controller.run(reconcile, failed, Arc::new(context)).for_each(|_| async {}));
    reconciles
}

fn cost() -> Result<(f64, f64)> {
    let stat = std::fs::read_to_string("/proc/self/stat")?;
    let fields = stat.rsplit(") ").next().ok_or("no fields")?;
    let ticks: Vec<f64> = fields.split(' ').skip(11).take(2).map(str::parse).collect::<std::result::Result<_, _>>()?;
    let status = std::fs::read_to_string("/proc/self/status")?;
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).ok_or("no peak")?;
    let kilobytes: f64 = peak.trim().trim_end_matches(" kB").parse()?;
    Ok((ticks.iter().sum::<f64>() / 100.0, kilobytes / 1024.0))
}

fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_nanos() as u64)
}

async fn start(client: Client, suffix: Option<String>, objects: usize) -> Result<Value> {
    let begun = Instant::now();
    run(client, suffix).next(objects).await;
    let seconds = begun.elapsed().as_secs_f64();
    let (cpu, peak) = cost()?;
    Ok(json!({ "seconds": seconds, "cpu": cpu, "peak": peak }))
}

async fn watch(client: Client, objects: usize, updates: usize) -> Result<Value> {
    let reconciles = run(client, None);
    reconciles.next(objects).await;
    println!("synced");
    let (before, _) = cost()?;
    let seen = reconciles.next(updates).await;
    let (after, _) = cost()?;
    Ok(json!({ "cpu": after - before, "seen": seen }))
}

#[tokio::main]
async fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let client = Client::try_default().await?;
    let measured = match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["start", objects, _] => start(client, None, objects.parse()?).await?,
        ["create", objects, name] => start(client, Some(name.to_owned()), objects.parse()?).await?,
        ["watch", objects, updates] => watch(client, objects.parse()?, updates.parse()?).await?,
        _ => return Err("usage: start OBJECTS NAME | create OBJECTS NAME | watch OBJECTS UPDATES".into()),
    };
    println!("{measured}");
    Ok(())
}
