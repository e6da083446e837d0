//! Recovery benchmark of kube-rs: reflectors of five kinds, with the default backoff.
//!
//! Prints `synced`, and then a line for each change of an object with the annotation: the kind, the
//! annotation, and the time at which the stream yielded it, in nanoseconds since 1970.

use std::error::Error;
use std::fmt::Debug;
use std::future::pending;
use std::time::{SystemTime, UNIX_EPOCH};

use futures::StreamExt;
use k8s_openapi::api::core::v1::{ConfigMap, Pod, Secret, Service, ServiceAccount};
use kube::runtime::reflector::store::WriterDropped;
use kube::runtime::watcher::{self, Event};
use kube::runtime::{WatchStreamExt, reflector};
use kube::{Api, Client, Resource, ResourceExt};
use serde::de::DeserializeOwned;

const CHANGED: &str = "example.com/changed";

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let client = Client::try_default().await?;
    report::<ConfigMap>(&client).await?;
    report::<Pod>(&client).await?;
    report::<Secret>(&client).await?;
    report::<Service>(&client).await?;
    report::<ServiceAccount>(&client).await?;
    println!("synced");
    pending().await
}

/// Starts a reflector, and waits until it has the initial state.
async fn report<K>(client: &Client) -> Result<(), WriterDropped>
where
    K: Resource<DynamicType = ()> + Clone + Debug + DeserializeOwned + Send + Sync + 'static,
{
    let watched = kube::runtime::watcher(Api::<K>::all(client.clone()), watcher::Config::default());
    let (reader, writer) = reflector::store();
    let stream = reflector(writer, watched).default_backoff();
    tokio::spawn(stream.for_each(async |event| {
        let (Ok(Event::Apply(object)) | Ok(Event::InitApply(object))) = event else {
            return;
        };
        if let Some(changed) = object.annotations().get(CHANGED) {
            println!("{} {changed} {}", K::kind(&()), now());
        }
    }));
    reader.wait_until_ready().await
}

fn now() -> u128 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.unwrap_or_default().as_nanos()
}
