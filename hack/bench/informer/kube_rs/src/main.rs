//! Benchmark of the kube-rs reflector: one measurement per run, printed as JSON.
//!
//! `sync [list]` syncs and then reads from the store. `watch UPDATES` syncs and then prints the
//! time at which the stream yielded each update.

use std::hint::black_box;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use futures::StreamExt;
use kube::runtime::reflector::{self, ObjectRef};
use kube::runtime::{WatchStreamExt, watcher};
use kube::{Api, Client, CustomResource};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio::sync::mpsc;

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
type Seen = (Option<String>, u64);

const NAMESPACE: &str = "bench-000";
const GETS: usize = 1_000_000;
const LISTS: usize = 20;

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

/// Returns a store that is kept up to date, and the items of the stream after the initial state.
fn store(client: Client, is_streamed: bool) -> (reflector::Store<Foo>, mpsc::UnboundedReceiver<Seen>) {
    let config = if is_streamed { watcher::Config::default().streaming_lists() } else { watcher::Config::default() };
    let (reader, writer) = reflector::store();
    let (sender, seen) = mpsc::unbounded_channel();
    let stream = reflector::reflector(writer, watcher(Api::<Foo>::all(client), config)).default_backoff();
    tokio::spawn(stream.for_each(move |event| {
        if let Ok(watcher::Event::Apply(foo)) = event {
            let _ = sender.send((foo.metadata.resource_version, now()));
        }
        async {}
    }));
    (reader, seen)
}

fn each<T>(times: usize, mut read: impl FnMut() -> T) -> f64 {
    let start = Instant::now();
    for _ in 0..times {
        black_box(read());
    }
    start.elapsed().as_secs_f64() / times as f64
}

async fn sync(client: Client, is_streamed: bool) -> Result<Value> {
    let start = Instant::now();
    let (reader, _seen) = store(client, is_streamed);
    reader.wait_until_ready().await?;
    let seconds = start.elapsed().as_secs_f64();
    let (cpu, peak) = cost()?;
    let name = ObjectRef::new("foo-000123").within(NAMESPACE);
    let select = |is_wanted: &dyn Fn(&Foo) -> bool| {
        let all = reader.state();
        all.into_iter().filter(|foo| is_wanted(foo)).collect::<Vec<_>>()
    };
    let shard = |foo: &Foo| foo.metadata.labels.as_ref().and_then(|labels| labels.get("shard")).is_some_and(|shard| shard == "3");
    let label = each(LISTS, || select(&shard));
    Ok(json!({
        "objects": reader.len(), "sync": seconds, "cpu": cpu, "peak": peak,
        "get": each(GETS, || reader.get(black_box(&name))),
        "label": label,
        "namespace": each(LISTS, || select(&|foo| foo.metadata.namespace.as_deref() == Some(NAMESPACE))),
        "index": label,
    }))
}

async fn watch(client: Client, updates: usize) -> Result<Value> {
    let (reader, mut seen) = store(client, true);
    reader.wait_until_ready().await?;
    println!("synced");
    let (before, _) = cost()?;
    let mut noted = Vec::with_capacity(updates);
    while noted.len() < updates {
        noted.extend(seen.recv().await);
    }
    let (after, _) = cost()?;
    Ok(json!({ "cpu": after - before, "seen": noted }))
}

#[tokio::main]
async fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let client = Client::try_default().await?;
    let measured = match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["sync"] => sync(client, true).await?,
        ["sync", "list"] => sync(client, false).await?,
        ["watch", updates] => watch(client, updates.parse()?).await?,
        _ => return Err("usage: sync [list] | watch UPDATES".into()),
    };
    println!("{measured}");
    Ok(())
}
