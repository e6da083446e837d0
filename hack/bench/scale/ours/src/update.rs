//! Steady updates of objects, logged with the time at which the API server acknowledged each.

use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::time::Duration;

use genclient::client::{Patch, PatchParams, TypedClient};
use genclient::kube::Client;
use genclient::scheme::Object;
use genclient::signals;
use k8s_openapi::api::core::v1::ConfigMap;
use serde::{Serialize, de::DeserializeOwned};
use serde_json::json;
use tokio::task::JoinSet;
use tokio::time::interval;

use crate::foo::{Foo, Objects, name};
use crate::log::now;

/// Distance between the numbers of two objects in turn. It is prime, so that all have their turn,
/// and objects of one namespace do not follow one another.
const STRIDE: usize = 7919;

/// Updates objects until the program is asked to stop. An update that fails is not repeated.
pub async fn run(
    client: Client,
    objects: Objects,
    rate: u32,
    owned: bool,
    log: &Path,
) -> anyhow::Result<()> {
    let stop = signals::shutdown()?;
    let mut log = File::create(log)?;
    let mut ticks = interval(Duration::from_secs(1) / rate);
    let mut running = JoinSet::new();
    let mut turn = 0;
    while stop.run_until_cancelled(ticks.tick()).await.is_some() {
        let (client, number) = (client.clone(), turn * STRIDE % objects.objects);
        let namespace = objects.namespace(number);
        if owned && turn % 2 == 1 {
            running.spawn(change::<ConfigMap>(client, namespace, name(number)));
        } else {
            running.spawn(change::<Foo>(client, namespace, name(number)));
        }
        turn += 1;
        while let Some(changed) = running.try_join_next() {
            note(&mut log, changed?)?;
        }
    }
    while let Some(changed) = running.join_next().await {
        note(&mut log, changed?)?;
    }
    Ok(())
}

/// Returns the line of the log, or `None` if the update failed.
async fn change<K>(client: Client, namespace: String, name: String) -> Option<String>
where
    K: Object<DynamicType = ()> + Serialize + DeserializeOwned,
{
    let patch =
        json!({ "metadata": { "annotations": { "example.com/changed": now().to_string() } } });
    let changed = TypedClient::<K>::namespaced(client, &namespace)
        .patch(&name, &Patch::Merge(patch), &PatchParams::default())
        .await
        .ok()?;
    let version = changed.meta().resource_version.as_deref()?;
    Some(format!(
        "{} {} {namespace}/{name} {version}\n",
        now(),
        K::kind(&())
    ))
}

fn note(log: &mut File, line: Option<String>) -> anyhow::Result<()> {
    if let Some(line) = line {
        log.write_all(line.as_bytes())?;
    }
    Ok(())
}
