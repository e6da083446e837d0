//! Cluster-scoped kinds, by either of the two switches: no namespace in any accessor. Unlike client-gen, which takes
//! `nonNamespaced` without `genclient` in silence (bug d), the switch is part of `#[genclient]`; see `errors/crd_without_genclient`.

pub mod v1 {
    use genclient::prelude::*;

    /// A part of the world.
    #[genclient(non_namespaced)]
    #[group = "world.example.com"]
    pub struct Region {
        pub metadata: ObjectMeta,
        pub spec: Spec,
        pub status: Option<Status>,
    }

    /// A part of a [`Region`].
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
