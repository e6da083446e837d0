//! code-generator's example `HyphenGroup`: a group whose first label has a hyphen.

pub mod v1 {
    use genclient::prelude::*;
    pub use k8s_openapi::api::autoscaling::v1::Scale;

    /// TestType is a top-level type. A client is created for it.
    #[genclient]
    #[group = "example-group.hyphens.example.com"]
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
    #[group = "example-group.hyphens.example.com"]
    pub struct ClusterTestType {
        pub metadata: ObjectMeta,
        #[serde(default)]
        pub status: ClusterTestTypeStatus,
    }

    #[derive(Clone, Debug, Default, Serialize, Deserialize, CrdSchema)]
    pub struct ClusterTestTypeStatus {
        pub blah: String,
    }
}
