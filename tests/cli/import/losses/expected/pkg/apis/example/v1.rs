//! Version `v1` of the group `example.com`.

#![allow(missing_docs, reason = "descriptions and names are those of the CRD")]

use std::collections::BTreeMap;

use genclient::prelude::*;

#[genclient]
#[group = "example.com"]
pub struct Nowhere {
    /// Standard object metadata.
    pub metadata: ObjectMeta,
}

#[genclient]
#[group = "example.com"]
#[crd(
    storage,
    annotation("Example.com/kept", "a"),
    conversion(webhook(url = "https://example.com/convert"))
)]
pub struct Oddity {
    /// Standard object metadata.
    #[crd(required)]
    pub metadata: ObjectMeta,

    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<OddityStatus>,
}

/// ---
/// Fields of `.status` in `Oddity`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, CrdSchema)]
pub struct OddityStatus {
    /// Its bytes.
    /// TODO: not all of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub binary: Option<String>,

    /// One of two.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[crd(nullable)]
    pub choice: Option<Choice>,

    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub closed: Option<Closed>,

    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kept: Option<String>,

    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub listed: Option<Listed>,

    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[crd(values(schemaless, preserve_unknown_fields))]
    pub map: Option<BTreeMap<String, k8s_openapi::serde_json::Value>>,

    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub partly: Option<Partly>,

    #[serde(default, skip_serializing_if = "Option::is_none")]
    // No Rust type has this schema, so it is stated here.
    #[crd(schema = { "x-kubernetes-int-or-string": true })]
    pub port: Option<IntOrString>,

    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub racks: Option<Vec<Vec<Rack>>>,

    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scalars: Option<Vec<String>>,

    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[crd(all_of = [{ "maxLength": 5 }])]
    pub twice: Option<String>,

    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unique: Option<Vec<String>>,

    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unknown0: Option<String>,

    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unknown1: Option<String>,

    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unknown2: Option<String>,

    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unknown3: Option<String>,

    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unknown4: Option<String>,

    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unknown5: Option<String>,

    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unknown6: Option<String>,
}

/// Values of `.status.choice` in `Oddity`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, CrdSchema)]
#[serde(rename_all = "lowercase")]
pub enum Choice {
    /// The value `a`.
    A,

    /// The value `b`.
    B,
}

/// ---
/// Fields of `.status.closed` in `Oddity`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, CrdSchema)]
pub struct Closed {}

/// ---
/// Fields of `.status.listed` in `Oddity`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, CrdSchema)]
pub struct Listed {}

/// ---
/// Fields of `.status.partly` in `Oddity`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, CrdSchema)]
pub struct Partly {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,

    /// All other fields.
    #[serde(flatten)]
    pub other: BTreeMap<String, k8s_openapi::serde_json::Value>,
}

/// ---
/// Fields of `.status.racks` in `Oddity`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, CrdSchema)]
pub struct Rack {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,

    /// All other fields.
    #[serde(flatten)]
    pub other: BTreeMap<String, k8s_openapi::serde_json::Value>,
}

#[genclient]
#[group = "example.com"]
#[crd(
    plural = "pathless",
    conversion(webhook(service = "default/webhook", path = "/"))
)]
pub struct Pathless {
    /// Standard object metadata.
    pub metadata: ObjectMeta,
}
