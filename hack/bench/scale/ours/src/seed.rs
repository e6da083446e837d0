//! Creation of the CRD, namespaces and objects in the API server.

use bench_foo::{create_namespace, install};
use futures::{StreamExt, TryStreamExt, stream};
use genclient::client::{PostParams, TypedClient};
use genclient::kube::{Client, Resource};
use k8s_openapi::api::core::v1::ConfigMap;

use crate::foo::{Foo, Objects, config_map, foo, namespace};

const WRITERS: usize = 64;

pub async fn run(client: Client, objects: Objects) -> anyhow::Result<()> {
    install(&client).await?;
    let namespaces = (0..objects.namespaces).map(namespace);
    stream::iter(namespaces.map(|name| create_namespace(&client, name)))
        .buffer_unordered(WRITERS)
        .try_collect::<()>()
        .await?;
    stream::iter((0..objects.objects).map(|number| create(&client, objects, number)))
        .buffer_unordered(WRITERS)
        .try_collect::<()>()
        .await
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
