//! `scope` on a kind.

pub mod v1 {
    use genclient::prelude::*;

    #[genclient]
    #[crd(scope = "Cluster")]
    #[group = "example.com"]
    pub struct Served {
        pub metadata: ObjectMeta,
        pub spec: Unserved,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct Unserved {
        pub text: String,
    }
}
