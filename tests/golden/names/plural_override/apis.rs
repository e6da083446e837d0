//! `#[crd(plural)]` is the one override, and everything follows it: URLs, the CRD, the informer's resource (bug e).

pub mod v1 {
    use genclient::prelude::*;

    #[genclient]
    #[group = "net.example.com"]
    #[crd(plural = "endpoints", singular = "endpoint")]
    pub struct Endpoints {
        pub metadata: ObjectMeta,
    }
}
