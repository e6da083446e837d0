//! Version `v1` of the group `example.com`.

#![allow(
    clippy::doc_lazy_continuation,
    clippy::doc_overindented_list_items,
    clippy::enum_variant_names,
    clippy::tabs_in_doc_comments,
    rustdoc::bare_urls,
    rustdoc::broken_intra_doc_links,
    rustdoc::invalid_html_tags,
    reason = "docs and names are those of the CRD"
)]

use std::collections::BTreeMap;

use genclient::prelude::*;

/// ---
/// An object of the kind `Nowhere`.
#[genclient]
#[group = "example.com"]
pub struct Nowhere {
    /// Name, namespace, labels and what the API server keeps of the object.
    pub metadata: ObjectMeta,
}

/// ---
/// An object of the kind `Oddity`.
#[genclient]
#[group = "example.com"]
#[crd(storage, conversion(webhook(url = "https://example.com/convert")))]
pub struct Oddity {
    /// Name, namespace, labels and what the API server keeps of the object.
    #[crd(required)]
    pub metadata: ObjectMeta,

    /// ---
    /// The field `status`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<OddityStatus>,
}

/// ---
/// Fields of `.status` in `Oddity`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, CrdSchema)]
pub struct OddityStatus {
    /// One of two.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[crd(nullable)]
    pub choice: Option<Choice>,

    /// ---
    /// The field `closed`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub closed: Option<Closed>,

    /// ---
    /// The field `kept`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kept: Option<String>,

    /// ---
    /// The field `listed`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub listed: Option<Listed>,

    /// ---
    /// The field `map`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[crd(values(schemaless, preserve_unknown_fields))]
    pub map: Option<BTreeMap<String, k8s_openapi::serde_json::Value>>,

    /// ---
    /// The field `unique`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unique: Option<Vec<String>>,

    /// ---
    /// The field `unknown0`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unknown0: Option<String>,

    /// ---
    /// The field `unknown1`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unknown1: Option<String>,

    /// ---
    /// The field `unknown2`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unknown2: Option<String>,

    /// ---
    /// The field `unknown3`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unknown3: Option<String>,

    /// ---
    /// The field `unknown4`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unknown4: Option<String>,

    /// ---
    /// The field `unknown5`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unknown5: Option<String>,

    /// ---
    /// The field `unknown6`.
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
