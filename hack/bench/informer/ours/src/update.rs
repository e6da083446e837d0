//! Updates of objects, with the time at which the API server acknowledged each.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use futures::{StreamExt, TryStreamExt, stream};
use genclient::client::{Patch, PatchParams, TypedClient};
use genclient::kube::Client;
use serde_json::{Value, json};
use tokio::time::{Instant, sleep_until};

use crate::foo::{Foo, name, namespace};

const WRITERS: usize = 32;

pub async fn run(
    client: Client,
    updates: usize,
    among: usize,
    rate: Option<u32>,
) -> anyhow::Result<Value> {
    let start = Instant::now();
    let changes = (0..updates).map(|number| {
        let client = client.clone();
        async move {
            if let Some(rate) = rate {
                sleep_until(start + Duration::from_secs(1) * number as u32 / rate).await;
            }
            change(&client, number % among).await
        }
    });
    let acknowledged: Vec<Value> = stream::iter(changes)
        .buffer_unordered(WRITERS)
        .try_collect()
        .await?;
    Ok(json!({ "seconds": start.elapsed().as_secs_f64(), "acknowledged": acknowledged }))
}

/// Returns the resource version, and the time of the response.
async fn change(client: &Client, number: usize) -> anyhow::Result<Value> {
    let foos = TypedClient::<Foo>::namespaced(client.clone(), &namespace(number));
    let patch =
        json!({ "metadata": { "annotations": { "example.com/changed": now()?.to_string() } } });
    let changed = foos
        .patch(&name(number), &Patch::Merge(patch), &PatchParams::default())
        .await?;
    Ok(json!([changed.metadata.resource_version, now()?]))
}

/// Returns the nanoseconds since 1970: the contenders' programs have no other clock in common.
pub fn now() -> anyhow::Result<u64> {
    Ok(SystemTime::now().duration_since(UNIX_EPOCH)?.as_nanos() as u64)
}
