//! Version `v2` of the group `example.com`.

#![allow(missing_docs, reason = "descriptions and names are those of the CRD")]

use genclient::prelude::*;

#[genclient]
#[group = "example.com"]
#[crd(status)]
pub struct Oddity {
    /// Standard object metadata.
    pub metadata: ObjectMeta,

    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spec: Option<OdditySpec>,
}

/// ---
/// Fields of `.spec` in `Oddity`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, CrdSchema)]
pub struct OdditySpec {}
