//! `#[crd(plural)]` overrides the plural in URLs, in the CRD, and in the informer's resource, for
//! which informer-gen ignores `+resourceName`. Names in the client are the regular plural.

pub mod v1 {
    use genclient::prelude::*;

    #[genclient]
    #[group = "net.example.com"]
    #[crd(plural = "endpoints", singular = "endpoint")]
    pub struct Endpoints {
        pub metadata: ObjectMeta,
    }
}
