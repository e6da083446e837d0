//! Every kind under a `cfg`: without the feature there is a client module without kinds.

#[cfg(feature = "extra")]
pub mod v1 {
    use genclient::prelude::*;

    #[genclient]
    #[group = "only.example.com"]
    pub struct Only {
        pub metadata: ObjectMeta,
    }
}
