//! Plurals by gengo's rules everywhere. informer-gen appends `s` to the resource that identifies an
//! informer, so client-go has `ingresss` and `networkpolicys`.

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
