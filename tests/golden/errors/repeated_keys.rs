//! Duplicate attributes, and duplicate keys in one attribute and in two.

pub mod v1 {
    use genclient::prelude::*;

    #[genclient(readonly, readonly)]
    #[group = "example.com"]
    #[group = "example.org"]
    #[crd(plural = "a")]
    #[crd(plural = "b")]
    pub struct Twice {
        pub metadata: ObjectMeta,
    }
}
