//! Cluster-scoped kinds, declared by `non_namespaced` or by `scope`: no accessor takes a namespace.
//! client-gen silently accepts `nonNamespaced` without `genclient`. Here it is an option of
//! `#[genclient]`; see `errors/crd_without_genclient`.

pub mod v1 {
    use genclient::prelude::*;

    /// Region of the world.
    #[genclient(non_namespaced)]
    #[group = "world.example.com"]
    pub struct Region {
        pub metadata: ObjectMeta,
        pub spec: Spec,
        pub status: Option<Status>,
    }

    /// Zone of a [`Region`].
    #[genclient]
    #[group = "world.example.com"]
    #[crd(scope = "Cluster")]
    pub struct Zone {
        pub metadata: ObjectMeta,
        pub spec: Spec,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct Spec {
        pub name: String,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct Status {
        pub ready: bool,
    }
}
