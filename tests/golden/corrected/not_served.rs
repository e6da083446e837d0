//! `#[group]` with `#[genclient]`, and attributes outside of `cfg_attr`.
use genclient::prelude::*;

pub mod v1 {
    use super::*;

    #[genclient]
    #[group = "example.com"]
    pub struct Forgotten {
        pub metadata: ObjectMeta,
    }

    #[genclient]
    #[group = "example.com"]
    #[cfg(feature = "extra")]
    pub struct Sometimes {
        pub metadata: ObjectMeta,
    }

    #[genclient]
    #[group = "example.com"]
    pub struct Widget {
        pub metadata: ObjectMeta,
        #[serde(rename = "other")]
        pub spec: String,
    }
}
