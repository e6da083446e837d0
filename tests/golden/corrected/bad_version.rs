//! Versions that the API server accepts, and a kind with the version of its module.

use genclient::prelude::*;

#[genclient]
#[group = "example.com"]
#[version = "v1"]
pub struct Upper {
    pub metadata: ObjectMeta,
}

#[genclient(version = "v1beta1")]
#[group = "example.com"]
pub struct Dotted {
    pub metadata: ObjectMeta,
}

pub mod v1 {
    use genclient::prelude::*;

    #[genclient]
    #[group = "example.com"]
    pub struct Versionless {
        pub metadata: ObjectMeta,
    }
}
