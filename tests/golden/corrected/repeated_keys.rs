//! Attributes and keys without duplicates.

pub mod v1 {
    use genclient::prelude::*;

    #[genclient(readonly)]
    #[group = "example.com"]
    #[crd(plural = "a")]
    pub struct Twice {
        pub metadata: ObjectMeta,
    }
}
