//! Types that are sent whole or in their serialized form, and the notes that say so.

use genclient::k8s_openapi::api::core::v1::PodSpec;
use genclient::prelude::*;
use serde::{Deserialize, Serialize};

#[genclient]
#[group = "whole.example.com"]
#[version = "v1"]
pub struct Whole {
    pub metadata: ObjectMeta,
    /// A generic struct.
    pub pair: Pair<i32>,
    /// One of several structs.
    pub target: Target,
    #[crd(schema = { "type": "object" })]
    pub stated: Stated,
    /// How long it takes.
    #[serde(with = "seconds")]
    #[crd(schema = { "type": "integer" })]
    pub timeout: std::time::Duration,
    #[serde(with = "seconds")]
    #[crd(schema = { "type": "array", "items": { "type": "string" } })]
    pub texts: std::time::Duration,
    pub pod: PodSpec,
    #[crd(schemaless, preserve_unknown_fields)]
    pub next: Option<Box<Stated>>,
    pub converted: Converted,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, CrdSchema)]
pub struct Pair<T> {
    pub first: T,
    pub second: T,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, CrdSchema)]
#[serde(untagged)]
pub enum Target {
    Host { host: String },
    Service { service: String },
}

/// Not comparable.
#[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
pub struct Stated {
    pub a: i32,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, CrdSchema)]
#[serde(from = "String", into = "String")]
pub struct Converted {
    pub text: String,
}

impl From<String> for Converted {
    fn from(text: String) -> Self {
        Self { text }
    }
}

impl From<Converted> for String {
    fn from(converted: Converted) -> Self {
        converted.text
    }
}

mod seconds {
    use std::time::Duration;

    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub fn serialize<S: Serializer>(value: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
        value.as_secs().serialize(serializer)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Duration, D::Error> {
        u64::deserialize(deserializer).map(Duration::from_secs)
    }
}
