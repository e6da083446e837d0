//! Benchmark of API server requests: `bench-apiserver in-process|real OBJECTS` prints a line with
//! the name and the latency in seconds for each kind of request, and one with the bytes that an
//! object adds to the memory of the program.
//!
//! One caller sends one request after the other. `golang/main.go` beside this package does the same
//! with controller-runtime's fake client.

use std::time::Instant;

use anyhow::{Context as _, Result};
use futures::StreamExt;
use genclient::kube::Client;
use genclient::kube::api::{
    Api, DynamicObject, ListParams, Patch, PatchParams, PostParams, WatchEvent, WatchParams,
};
use genclient::kube::core::{ApiResource, GroupVersionKind};
use genclient_apiserver::ApiServer;
use genclient_envtest::{ControlPlane, Manifests};
use k8s_openapi::api::core::v1::ConfigMap;
use serde_json::{Value, json};

const DEFINITION: &str = include_str!("definition.yaml");
/// Number of installed CustomResourceDefinitions.
const DEFINITIONS: usize = 10;
/// Number of events to wait for.
const EVENTS: usize = 100;

#[tokio::main]
async fn main() -> Result<()> {
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    let [server, objects] = arguments.as_slice() else {
        anyhow::bail!("usage: bench-apiserver <in-process|real> <objects>");
    };
    let objects = objects.parse().context("OBJECTS has to be a number")?;
    let definitions = definitions()?;
    let begin = Instant::now();
    if server == "in-process" {
        let server = ApiServer::builder()
            .objects(definitions)
            .lag(std::time::Duration::ZERO)
            .build()?;
        measure(&server.client(), begin, objects).await
    } else {
        let plane = ControlPlane::start().await?;
        plane.install_crds(&Manifests::new(definitions)?).await?;
        measure(&plane.client(), begin, objects).await?;
        plane.kill();
        Ok(())
    }
}

fn definitions() -> Result<Vec<Value>> {
    let text = |number: usize| DEFINITION.replace("NUMBER", &number.to_string());
    let definitions = (0..DEFINITIONS).map(|number| serde_saphyr::from_str(&text(number)));
    Ok(definitions.collect::<Result<_, _>>()?)
}

async fn measure(client: &Client, begin: Instant, objects: usize) -> Result<()> {
    let kind = GroupVersionKind::gvk("bench.example.com", "v1", "Job0");
    let kind = ApiResource::from_gvk_with_plural(&kind, "jobs0");
    let jobs: Api<DynamicObject> = Api::default_namespaced_with(client.clone(), &kind);
    let maps: Api<ConfigMap> = Api::default_namespaced(client.clone());
    let post = PostParams::default();
    jobs.create(&post, &serde_json::from_value(job("first", 1))?)
        .await?;
    say("start", begin, 1);

    let version = config_maps(&maps, objects).await?;

    let begin = Instant::now();
    for number in 0..objects {
        let object = serde_json::from_value(job(&format!("job-{number}"), number))?;
        jobs.create(&post, &object).await?;
    }
    say("create custom resource", begin, objects);
    let begin = Instant::now();
    let params = PatchParams::apply("bench").force();
    for number in 0..objects {
        let name = format!("job-{number}");
        let applied = Patch::Apply(job(&name, number + 1));
        jobs.patch(&name, &params, &applied).await?;
    }
    say("apply custom resource", begin, objects);
    let begin = Instant::now();
    let params = PatchParams::default();
    for number in 0..objects {
        let status = Patch::Merge(json!({ "status": { "phase": number.to_string() } }));
        jobs.patch_status(&format!("job-{number}"), &params, &status)
            .await?;
    }
    say("patch status", begin, objects);
    let begin = Instant::now();
    jobs.list(&ListParams::default()).await?;
    say("list custom resources", begin, 1);
    events(&maps, version).await
}

/// Measures requests for ConfigMaps. Returns the version of the last list.
async fn config_maps(maps: &Api<ConfigMap>, objects: usize) -> Result<String> {
    let post = PostParams::default();
    let before = resident()?;
    let begin = Instant::now();
    for number in 0..objects {
        maps.create(&post, &map(number)?).await?;
    }
    say("create ConfigMap", begin, objects);
    let added = resident()?.saturating_sub(before);
    println!("memory for each ConfigMap\t{}\tB", added / objects);
    let begin = Instant::now();
    for number in 0..objects {
        maps.get(&format!("map-{number}")).await?;
    }
    say("get ConfigMap", begin, objects);
    let begin = Instant::now();
    let params = PatchParams::default();
    for number in 0..objects {
        let patch = json!({ "data": { "more": number.to_string() } });
        maps.patch(&format!("map-{number}"), &params, &Patch::Merge(patch))
            .await?;
    }
    say("merge patch ConfigMap", begin, objects);
    let begin = Instant::now();
    let listed = maps.list(&ListParams::default()).await?;
    say("list ConfigMaps", begin, 1);
    anyhow::ensure!(listed.items.len() >= objects);
    Ok(listed.metadata.resource_version.unwrap_or_default())
}

/// Measures the time from the start of a create to its event at a watcher.
async fn events(maps: &Api<ConfigMap>, version: String) -> Result<()> {
    let mut events = Box::pin(maps.watch(&WatchParams::default(), &version).await?);
    let begin = Instant::now();
    for number in 0..EVENTS {
        let name = format!("watched-{number}");
        let mut object = map(number)?;
        object.metadata.name = Some(name.clone());
        maps.create(&PostParams::default(), &object).await?;
        loop {
            match events.next().await.context("the watch ended")?? {
                WatchEvent::Added(map) if map.metadata.name.as_deref() == Some(&name) => break,
                _ => {}
            }
        }
    }
    say("create until its event", begin, EVENTS);
    Ok(())
}

fn map(number: usize) -> Result<ConfigMap> {
    Ok(serde_json::from_value(json!({
        "metadata": { "name": format!("map-{number}"), "labels": { "app": "bench" } },
        "data": { "key": "value", "text": "x".repeat(1000) },
    }))?)
}

fn job(name: &str, number: usize) -> Value {
    json!({
        "apiVersion": "bench.example.com/v1",
        "kind": "Job0",
        "metadata": { "name": name, "namespace": "default" },
        "spec": {
            "image": "registry.example.com/image:1",
            "most": 5 + number % 100,
            "schedule": "*/5 * * * *",
            "env": [{ "name": "A", "value": number.to_string() }, { "name": "B" }],
        },
    })
}

/// Returns the resident memory of this program in bytes.
fn resident() -> Result<usize> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kilobytes = line.and_then(|line| line.trim().strip_suffix(" kB"));
    Ok(kilobytes.context("no VmRSS")?.parse::<usize>()? * 1024)
}

fn say(what: &str, begin: Instant, count: usize) {
    let seconds = begin.elapsed().as_secs_f64() / count as f64;
    println!("{what}\t{seconds}");
}
