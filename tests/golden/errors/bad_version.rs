//! Versions that the API server refuses, and a kind without a version.

use genclient::prelude::*;

#[genclient]
#[group = "example.com"]
#[version = "V1"]
pub struct Upper {
    pub metadata: ObjectMeta,
}

#[genclient(version = "1.0")]
#[group = "example.com"]
pub struct Dotted {
    pub metadata: ObjectMeta,
}

#[genclient]
#[group = "example.com"]
pub struct Versionless {
    pub metadata: ObjectMeta,
}
