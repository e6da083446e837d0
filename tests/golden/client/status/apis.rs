//! A field `status` alone gives the verbs and the subresource: client and CRD agree. Without the
//! field there is a subresource if that is stated, and no verbs.

pub mod v1beta1 {
    use genclient::prelude::*;

    /// Something that is built.
    #[genclient]
    #[group = "works.example.com"]
    pub struct Bridge {
        pub metadata: ObjectMeta,
        pub spec: BridgeSpec,
        #[serde(skip_serializing_if = "Option::is_none")]
        pub status: Option<BridgeStatus>,
    }

    /// A part of a bridge.
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
