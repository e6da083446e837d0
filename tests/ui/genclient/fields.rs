//! Missing, conflicting and conditional fields of a kind.
use genclient::prelude::*;

#[genclient]
#[group = "example.com"]
#[version = "v1"]
pub struct NoMetadata {
    pub spec: u8,
}

#[genclient]
#[group = "example.com"]
#[version = "v1"]
pub struct OtherMetadata {
    pub metadata: Option<ObjectMeta>,
}

#[genclient]
#[group = "example.com"]
#[version = "v1"]
pub struct RenamedMetadata {
    #[serde(rename = "meta")]
    pub metadata: ObjectMeta,
}

#[genclient]
#[group = "example.com"]
#[version = "v1"]
pub struct OwnKind {
    pub metadata: ObjectMeta,
    pub kind: String,
}

#[genclient]
#[group = "example.com"]
#[version = "v1"]
pub struct OwnApiVersion {
    pub metadata: ObjectMeta,
    #[serde(rename = "apiVersion")]
    pub version: String,
}

#[genclient]
#[group = "example.com"]
#[version = "v1"]
pub struct Conditional {
    pub metadata: ObjectMeta,
    #[cfg(all())]
    pub spec: u8,
}

#[genclient]
#[group = "example.com"]
#[version = "v1"]
pub struct ConditionalCrd {
    pub metadata: ObjectMeta,
    #[cfg_attr(all(), crd(minimum = 1))]
    pub spec: u8,
}

fn main() {}
