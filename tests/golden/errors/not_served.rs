//! `#[group]` without `#[genclient]`, and attributes inside `cfg_attr`.
use genclient::prelude::*;

pub mod v1 {
    use super::*;

    #[group = "example.com"]
    pub struct Forgotten {
        pub metadata: ObjectMeta,
    }

    #[cfg_attr(feature = "extra", genclient)]
    pub struct Sometimes {
        pub metadata: ObjectMeta,
    }

    #[genclient]
    #[group = "example.com"]
    pub struct Widget {
        pub metadata: ObjectMeta,
        #[cfg_attr(feature = "extra", serde(rename = "other"))]
        pub spec: String,
    }
}
