//! The reconciled kind: that of k8s.io/sample-controller, which `bench-informer seed` installs.

use genclient::prelude::*;
use k8s_openapi::api::core::v1::ConfigMap;

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

/// Returns the ConfigMap that is created for an object.
pub fn config_map(object: &Foo, suffix: &str) -> ConfigMap {
    let mut map = ConfigMap::default();
    map.metadata.namespace = object.metadata.namespace.clone();
    let name = object.metadata.name.as_deref().unwrap_or_default();
    map.metadata.name = Some(format!("{name}-{suffix}"));
    map.data = Some([("deployment".to_owned(), object.spec.deployment_name.clone())].into());
    map
}
