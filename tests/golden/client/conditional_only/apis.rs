//! Only kinds under a `cfg`: without the feature, the client module has no kinds.

#[cfg(feature = "extra")]
pub mod v1 {
    use genclient::prelude::*;

    #[genclient]
    #[group = "only.example.com"]
    pub struct Only {
        pub metadata: ObjectMeta,
    }
}
