//! `no_verbs`: a client to add methods to. There is neither lister nor informer, where lister-gen writes a lister of what
//! cannot be listed (bug f).

pub mod v1 {
    use genclient::prelude::*;

    /// Asks that a tenant leaves.
    #[genclient(no_verbs)]
    #[group = "policy.example.com"]
    pub struct Eviction {
        pub metadata: ObjectMeta,
    }
}
