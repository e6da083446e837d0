//! `scale`: the subresource in the CRD, and `get_scale` and `update_scale` in the client.

pub mod v1 {
    use genclient::prelude::*;

    #[genclient]
    #[group = "fleet.example.com"]
    #[crd(scale(
        spec_replicas_path = ".spec.replicas",
        status_replicas_path = ".status.replicas",
        label_selector_path = ".status.selector"
    ))]
    pub struct Fleet {
        pub metadata: ObjectMeta,
        pub spec: FleetSpec,
        pub status: Option<FleetStatus>,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct FleetSpec {
        pub replicas: i32,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct FleetStatus {
        pub replicas: i32,
        pub selector: String,
    }
}
