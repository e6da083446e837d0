//! The kind `Crowd` in version `v1` of the group `example.com`.

#![allow(missing_docs, reason = "descriptions and names are those of the CRD")]

use genclient::prelude::*;

#[genclient]
#[group = "example.com"]
pub struct Crowd {
    /// Standard object metadata.
    pub metadata: ObjectMeta,

    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spec: Option<CrowdSpec>,
}

/// ---
/// Fields of `.spec` in `Crowd`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, CrdSchema)]
#[crd(max_properties = 1)]
pub struct CrowdSpec {
    pub first: String,

    pub second: String,
}
