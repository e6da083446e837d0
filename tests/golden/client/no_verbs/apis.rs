//! `no_verbs`: a client without verbs, for methods of the user. It has no lister and no informer,
//! whereas lister-gen generates a lister although the kind cannot be listed.

pub mod v1 {
    use genclient::prelude::*;

    /// Eviction of a tenant.
    #[genclient(no_verbs)]
    #[group = "policy.example.com"]
    pub struct Eviction {
        pub metadata: ObjectMeta,
    }
}
