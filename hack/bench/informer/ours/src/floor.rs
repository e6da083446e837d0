//! Lower bounds of an informer's cost: receiving the initial state, and decoding it.

use std::collections::HashMap;
use std::sync::Arc;

use genclient::cache::ObjectName;
use genclient::kube::Client;
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;
use tokio::time::Instant;

use crate::foo::Foo;
use crate::process::synced;
use crate::stream::lines;

/// Receives the bytes without decoding them.
pub async fn raw(client: Client) -> anyhow::Result<Value> {
    let start = Instant::now();
    let mut objects = 0;
    lines(client, |_| {
        objects += 1;
        Ok(())
    })
    .await?;
    synced(objects, start.elapsed().as_secs_f64())
}

#[derive(Deserialize)]
struct Event<'a> {
    #[serde(borrow)]
    object: &'a RawValue,
}

/// Decodes every object into a map, and does nothing else.
pub async fn bare(client: Client) -> anyhow::Result<Value> {
    let start = Instant::now();
    let mut objects = HashMap::new();
    lines(client, |line| {
        let event: Event<'_> = serde_json::from_slice(line)?;
        let mut object: Foo = serde_json::from_str(event.object.get())?;
        object.metadata.managed_fields = None;
        objects.insert(ObjectName::from_object(&object), Arc::new(object));
        Ok(())
    })
    .await?;
    synced(objects.len(), start.elapsed().as_secs_f64())
}
