//! The reconciled kind, that of k8s.io/sample-controller, and the ConfigMap that each object owns.

use genclient::prelude::*;
use k8s_openapi::api::core::v1::ConfigMap;
use serde_json::{Value, json};

/// Size of a ConfigMap's data in bytes.
const DATA: usize = 1000;

/// A kind with a small spec.
#[genclient]
#[group = "samplecontroller.k8s.io"]
#[version = "v1alpha1"]
#[derive(Default)]
pub struct Foo {
    pub metadata: ObjectMeta,
    pub spec: FooSpec,
}

/// Desired state.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, CrdSchema)]
#[serde(rename_all = "camelCase")]
pub struct FooSpec {
    pub deployment_name: String,
    pub replicas: Option<i32>,
}

/// The namespaces and names of all objects.
#[derive(Clone, Copy, clap::Args)]
pub struct Objects {
    /// Number of Foos, each of which owns a ConfigMap
    pub objects: usize,
    /// Number of namespaces, over which the Foos are spread
    pub namespaces: usize,
}

impl Objects {
    /// Returns the namespace of an object.
    pub fn namespace(self, number: usize) -> String {
        namespace(number % self.namespaces)
    }
}

pub fn namespace(number: usize) -> String {
    format!("tenant-{number:03}")
}

/// Returns the name of a Foo and of its ConfigMap.
pub fn name(number: usize) -> String {
    format!("foo-{number:06}")
}

pub fn foo(objects: Objects, number: usize) -> Foo {
    let mut object = Foo::default();
    object.metadata.namespace = Some(objects.namespace(number));
    object.metadata.name = Some(name(number));
    object.spec.deployment_name = format!("deploy-{number}");
    object.spec.replicas = Some(1);
    object
}

pub fn config_map(owner: &Foo) -> ConfigMap {
    let mut map = ConfigMap::default();
    map.metadata.namespace = owner.metadata.namespace.clone();
    map.metadata.name = owner.metadata.name.clone();
    map.data = Some([("settings".to_owned(), "x".repeat(DATA))].into());
    map
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
                        "replicas": { "type": "integer", "format": "int32" },
                    }},
                }}},
            }],
        },
    })
}
