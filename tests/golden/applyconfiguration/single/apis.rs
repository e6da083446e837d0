//! code-generator's example `single`: kinds and types in one module.

use genclient::prelude::*;
pub use k8s_openapi::api::autoscaling::v1::Scale;

/// TestType is a top-level type. A client is created for it.
#[genclient]
#[group = "example.crd.example.com"]
#[version = "v1"]
pub struct TestType {
    pub metadata: ObjectMeta,
    #[serde(default)]
    pub status: TestTypeStatus,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize, CrdSchema)]
pub struct TestTypeStatus {
    pub blah: String,
}

#[genclient(
    non_namespaced,
    method(
        name = "get_scale",
        verb = "get",
        subresource = "scale",
        result = "Scale"
    ),
    method(
        name = "update_scale",
        verb = "update",
        subresource = "scale",
        input = "Scale",
        result = "Scale"
    )
)]
#[group = "example.crd.example.com"]
#[version = "v1"]
pub struct ClusterTestType {
    pub metadata: ObjectMeta,
    #[serde(default)]
    pub status: ClusterTestTypeStatus,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize, CrdSchema)]
pub struct ClusterTestTypeStatus {
    pub blah: String,
}
