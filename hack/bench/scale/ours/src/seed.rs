//! Creation of the CRD, namespaces and objects in the API server.

use std::time::Duration;

use futures::{StreamExt, TryStreamExt, stream};
use genclient::client::{PostParams, TypedClient};
use genclient::kube::{Api, Client, Resource};
use k8s_openapi::api::core::v1::{ConfigMap, Namespace};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use tokio::time::sleep;

use crate::foo::{Foo, Objects, config_map, definition, foo, namespace};

const WRITERS: usize = 64;

pub async fn run(client: Client, objects: Objects) -> anyhow::Result<()> {
    install(&client).await?;
    stream::iter((0..objects.namespaces).map(|number| create_namespace(&client, number)))
        .buffer_unordered(WRITERS)
        .try_collect::<()>()
        .await?;
    stream::iter((0..objects.objects).map(|number| create(&client, objects, number)))
        .buffer_unordered(WRITERS)
        .try_collect::<()>()
        .await
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

async fn create_namespace(client: &Client, number: usize) -> anyhow::Result<()> {
    let mut wanted = Namespace::default();
    wanted.metadata.name = Some(namespace(number));
    Api::<Namespace>::all(client.clone())
        .create(&PostParams::default(), &wanted)
        .await?;
    Ok(())
}

async fn create(client: &Client, objects: Objects, number: usize) -> anyhow::Result<()> {
    let namespace = objects.namespace(number);
    let params = PostParams::default();
    let owner = TypedClient::<Foo>::namespaced(client.clone(), &namespace)
        .create(&foo(objects, number), &params)
        .await?;
    let mut map = config_map(&owner);
    map.metadata.owner_references = owner.controller_owner_ref(&()).map(|owner| vec![owner]);
    TypedClient::<ConfigMap>::namespaced(client.clone(), &namespace)
        .create(&map, &params)
        .await?;
    Ok(())
}
