//! code-generator's example `MixedCase`: modules, types and fields with names of unusual case.

#![allow(non_snake_case, non_camel_case_types)]

pub mod MixedCase {
    pub mod v1 {
        use genclient::prelude::*;
        pub use k8s_openapi::api::autoscaling::v1::Scale;

        /// TestType is a top-level type. A client is created for it.
        #[genclient]
        #[group = "example.crd.example.com"]
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
        pub struct ClusterTestType {
            pub metadata: ObjectMeta,
            #[serde(default)]
            pub status: ClusterTestTypeStatus,
        }

        #[derive(Clone, Debug, Default, Serialize, Deserialize, CrdSchema)]
        pub struct ClusterTestTypeStatus {
            pub blah: String,
            pub clusterIP: String,
            pub part: lower_part,
        }

        #[derive(Clone, Debug, Default, Serialize, Deserialize, CrdSchema)]
        pub struct lower_part {
            pub is_ready: bool,
        }
    }
}
