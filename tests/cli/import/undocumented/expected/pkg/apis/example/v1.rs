//! Version `v1` of the group `example.com`.

#![allow(
    clippy::doc_lazy_continuation,
    clippy::doc_overindented_list_items,
    missing_docs,
    reason = "descriptions and names are those of the CRD"
)]

use genclient::prelude::*;

#[genclient]
#[group = "example.com"]
pub struct Bare {
    /// Standard object metadata.
    pub metadata: ObjectMeta,

    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spec: Option<BareSpec>,
}

/// ---
/// Fields of `.spec` in `Bare`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, CrdSchema)]
pub struct BareSpec {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    // No Rust type has this schema, so it is stated here.
    #[crd(items(
        schema = { "description": "Its items have one.", "maxLength": 5, "type": "string" }
    ))]
    pub list: Option<Vec<String>>,

    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<Mode>,

    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nested: Option<Nested>,
}

/// ---
/// Values of `.spec.mode` in `Bare`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, CrdSchema)]
pub enum Mode {
    /// The value `A`.
    A,

    /// The value `B`.
    B,
}

/// ---
/// Fields of `.spec.nested` in `Bare`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, CrdSchema)]
pub struct Nested {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,

    /// A list:
    /// - one
    ///   more
    /// `code`
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[crd(type = "integer")]
    pub size: Option<i64>,
}
