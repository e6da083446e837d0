//! Creation of the CRD, namespaces and objects in the API server.

use std::ops::Range;

use bench_foo::{create_namespace, install};
use futures::{StreamExt, TryStreamExt, stream};
use genclient::client::{PostParams, TypedClient};
use genclient::kube::{self, Client};
use serde_json::{Value, json};

use crate::foo::{Foo, foo, namespace};

const WRITERS: usize = 32;

pub async fn run(client: Client, objects: Range<usize>) -> anyhow::Result<Value> {
    if objects.start == 0 {
        install(&client).await?;
    }
    // Only namespaces whose first object is in the range: others exist.
    for number in objects.clone().filter(|number| number % 1000 == 0) {
        create_namespace(&client, namespace(number)).await?;
    }
    let count = objects.len();
    stream::iter(objects.map(|number| create(&client, number)))
        .buffer_unordered(WRITERS)
        .try_collect::<()>()
        .await?;
    Ok(json!({ "objects": count }))
}

async fn create(client: &Client, number: usize) -> kube::Result<()> {
    let foos = TypedClient::<Foo>::namespaced(client.clone(), &namespace(number));
    foos.create(&foo(number), &PostParams::default()).await?;
    Ok(())
}
