//! Creation of the CRD, namespaces and objects in the API server.

use std::ops::Range;
use std::time::Duration;

use futures::{StreamExt, TryStreamExt, stream};
use genclient::client::{PostParams, TypedClient};
use genclient::kube::{self, Api, Client};
use k8s_openapi::api::core::v1::Namespace;
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use serde_json::{Value, json};
use tokio::time::sleep;

use crate::foo::{Foo, definition, foo, namespace};

const WRITERS: usize = 32;

pub async fn run(client: Client, objects: Range<usize>) -> anyhow::Result<Value> {
    if objects.start == 0 {
        install(&client).await?;
    }
    let namespaces = Api::<Namespace>::all(client.clone());
    // Only namespaces whose first object is in the range: others exist.
    for number in objects.clone().filter(|number| number % 1000 == 0) {
        let mut wanted = Namespace::default();
        wanted.metadata.name = Some(namespace(number));
        namespaces.create(&PostParams::default(), &wanted).await?;
    }
    let count = objects.len();
    stream::iter(objects.map(|number| create(&client, number)))
        .buffer_unordered(WRITERS)
        .try_collect::<()>()
        .await?;
    Ok(json!({ "objects": count }))
}

async fn install(client: &Client) -> anyhow::Result<()> {
    let definition: CustomResourceDefinition = serde_json::from_value(definition())?;
    Api::all(client.clone())
        .create(&PostParams::default(), &definition)
        .await?;
    let foos = Api::<Foo>::all(client.clone());
    while foos.list(&Default::default()).await.is_err() {
        sleep(Duration::from_millis(100)).await;
    }
    Ok(())
}

async fn create(client: &Client, number: usize) -> kube::Result<()> {
    let foos = TypedClient::<Foo>::namespaced(client.clone(), &namespace(number));
    foos.create(&foo(number), &PostParams::default()).await?;
    Ok(())
}
