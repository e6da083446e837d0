//! The field `status` yields the status verbs and the subresource, so that client and CRD agree.
//! `#[crd(status)]` without the field yields only the subresource.

pub mod v1beta1 {
    use genclient::prelude::*;

    /// Bridge with lanes.
    #[genclient]
    #[group = "works.example.com"]
    pub struct Bridge {
        pub metadata: ObjectMeta,
        pub spec: BridgeSpec,
        #[serde(skip_serializing_if = "Option::is_none")]
        pub status: Option<BridgeStatus>,
    }

    /// Pier of a bridge.
    #[genclient]
    #[group = "works.example.com"]
    #[crd(status)]
    pub struct Pier {
        pub metadata: ObjectMeta,
        pub spec: BridgeSpec,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct BridgeSpec {
        pub lanes: i32,
    }

    #[derive(Clone, Debug, Default, Serialize, Deserialize, CrdSchema)]
    #[serde(rename_all = "camelCase")]
    pub struct BridgeStatus {
        pub lanes_open: i32,
    }
}
