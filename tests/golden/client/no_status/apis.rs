//! `no_status`: the field `status` is an ordinary field, without status verbs and subresource.

pub mod v1 {
    use genclient::prelude::*;

    #[genclient(no_status)]
    #[group = "parts.example.com"]
    pub struct Bolt {
        pub metadata: ObjectMeta,
        pub spec: BoltSpec,
        pub status: Option<BoltStatus>,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct BoltSpec {
        pub size: i32,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct BoltStatus {
        pub tight: bool,
    }
}
