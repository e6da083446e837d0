//! The kind `Second` in version `v1` of the group `example.com`.

#![allow(missing_docs, reason = "descriptions and names are those of the CRD")]

use genclient::prelude::*;

#[genclient]
#[group = "example.com"]
#[crd(short_names = ["fs"])]
pub struct Second {
    /// Standard object metadata.
    pub metadata: ObjectMeta,

    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spec: Option<SecondSpec>,
}

/// ---
/// Fields of `.spec` in `Second`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, CrdSchema)]
pub struct SecondSpec {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[crd(type = "integer")]
    pub size: Option<i64>,
}
