//! Plurals by gengo's rules everywhere. informer-gen only adds an `s`, which made `ingresss` and `networkpolicys` (bug e).

pub mod v1 {
    use genclient::prelude::*;

    #[genclient]
    #[group = "plurals.example.com"]
    pub struct Ingress {
        pub metadata: ObjectMeta,
    }

    #[genclient]
    #[group = "plurals.example.com"]
    pub struct NetworkPolicy {
        pub metadata: ObjectMeta,
    }

    #[genclient]
    #[group = "plurals.example.com"]
    pub struct Gateway {
        pub metadata: ObjectMeta,
    }

    #[genclient]
    #[group = "plurals.example.com"]
    pub struct HTTPLeaf {
        pub metadata: ObjectMeta,
    }

    #[genclient]
    #[group = "plurals.example.com"]
    pub struct I {
        pub metadata: ObjectMeta,
    }
}
