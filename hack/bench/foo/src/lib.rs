//! The kind of k8s.io/sample-controller, for which client-go's informer is generated. The
//! benchmarks of informers and controllers use it.

use std::time::Duration;

use genclient::client::PostParams;
use genclient::kube::{Api, Client};
use genclient::prelude::*;
use k8s_openapi::api::core::v1::Namespace;
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use serde_json::{Value, json};
use tokio::time::sleep;

/// A kind with a small spec and status.
#[genclient]
#[group = "samplecontroller.k8s.io"]
#[version = "v1alpha1"]
#[derive(Default)]
pub struct Foo {
    /// Standard metadata.
    pub metadata: ObjectMeta,
    /// Desired state.
    pub spec: FooSpec,
    /// Observed state.
    pub status: Option<FooStatus>,
}

/// Desired state.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, CrdSchema)]
#[serde(rename_all = "camelCase")]
pub struct FooSpec {
    /// The name of a Deployment.
    pub deployment_name: String,
    /// The number of its replicas.
    pub replicas: Option<i32>,
}

/// Observed state.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, CrdSchema)]
#[serde(rename_all = "camelCase")]
pub struct FooStatus {
    /// The number of replicas that are available.
    pub available_replicas: i32,
}

/// Returns the name of an object.
pub fn name(number: usize) -> String {
    format!("foo-{number:06}")
}

/// Installs the CRD, and waits until its kind is served.
pub async fn install(client: &Client) -> anyhow::Result<()> {
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

/// Creates a namespace.
pub async fn create_namespace(client: &Client, name: String) -> anyhow::Result<()> {
    let mut namespace = Namespace::default();
    namespace.metadata.name = Some(name);
    Api::<Namespace>::all(client.clone())
        .create(&PostParams::default(), &namespace)
        .await?;
    Ok(())
}

fn definition() -> Value {
    json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {
            "name": "foos.samplecontroller.k8s.io",
            "annotations": { "api-approved.kubernetes.io": "unapproved, for benchmarks only" },
        },
        "spec": {
            "group": "samplecontroller.k8s.io",
            "names": { "kind": "Foo", "listKind": "FooList", "plural": "foos", "singular": "foo" },
            "scope": "Namespaced",
            "versions": [{
                "name": "v1alpha1", "served": true, "storage": true,
                "schema": { "openAPIV3Schema": { "type": "object", "properties": {
                    "spec": { "type": "object", "properties": {
                        "deploymentName": { "type": "string" },
                        "replicas": { "type": "integer", "format": "int32", "minimum": 1, "maximum": 10 },
                    }},
                    "status": { "type": "object", "properties": { "availableReplicas": { "type": "integer", "format": "int32" } } },
                }}},
            }],
        },
    })
}
