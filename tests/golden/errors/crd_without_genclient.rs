//! `scope` on a type that is not a kind (client-gen accepts `nonNamespaced` without `genclient`).

pub mod v1 {
    use genclient::prelude::*;

    #[genclient]
    #[group = "example.com"]
    pub struct Served {
        pub metadata: ObjectMeta,
        pub spec: Unserved,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    #[crd(scope = "Cluster")]
    pub struct Unserved {
        pub text: String,
    }
}
