//! The kind `Unserved` in version `v1` of the group `example.com`.

#![allow(missing_docs, reason = "descriptions and names are those of the CRD")]

use genclient::prelude::*;

#[genclient]
#[group = "example.com"]
#[crd(unserved)]
pub struct Unserved {
    /// Standard object metadata.
    pub metadata: ObjectMeta,

    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spec: Option<UnservedSpec>,
}

/// ---
/// Fields of `.spec` in `Unserved`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, CrdSchema)]
pub struct UnservedSpec {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[crd(type = "integer")]
    pub size: Option<i64>,
}
