//! Keys that stand once.

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
