//! The kind of k8s.io/sample-controller, for which client-go's informer is generated.

use genclient::prelude::*;
use serde_json::{Value, json};

/// A kind with a small spec and status.
#[genclient]
#[group = "samplecontroller.k8s.io"]
#[version = "v1alpha1"]
#[derive(Default)]
pub struct Foo {
    pub metadata: ObjectMeta,
    pub spec: FooSpec,
    pub status: Option<FooStatus>,
}

/// Desired state.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, CrdSchema)]
#[serde(rename_all = "camelCase")]
pub struct FooSpec {
    pub deployment_name: String,
    pub replicas: Option<i32>,
}

/// Observed state.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, CrdSchema)]
#[serde(rename_all = "camelCase")]
pub struct FooStatus {
    pub available_replicas: i32,
}

/// Returns the namespace of an object. Each namespace has a thousand objects.
pub fn namespace(number: usize) -> String {
    format!("bench-{:03}", number / 1000)
}

pub fn name(number: usize) -> String {
    format!("foo-{number:06}")
}

pub fn foo(number: usize) -> Foo {
    let mut object = Foo::default();
    object.metadata.namespace = Some(namespace(number));
    object.metadata.name = Some(name(number));
    object.metadata.labels = Some(
        [
            ("app", "bench".to_owned()),
            ("shard", (number % 16).to_string()),
        ]
        .map(|(key, value)| (key.to_owned(), value))
        .into(),
    );
    object.metadata.annotations = Some(
        [(
            "example.com/owner".to_owned(),
            format!("team-{}", number % 100),
        )]
        .into(),
    );
    object.spec.deployment_name = format!("deploy-{number}");
    object.spec.replicas = Some(1 + (number % 7) as i32);
    object
}

pub fn definition() -> Value {
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
