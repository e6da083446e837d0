//! The kind `Rule` in version `v1` of the group `example.com`.

#![allow(missing_docs, reason = "descriptions and names are those of the CRD")]

use genclient::prelude::*;

#[genclient]
#[group = "example.com"]
pub struct Rule {
    /// Standard object metadata.
    pub metadata: ObjectMeta,

    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spec: Option<RuleSpec>,
}

/// ---
/// Fields of `.spec` in `Rule`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, CrdSchema)]
#[crd(validation(rule = "self.weight > 1"))]
pub struct RuleSpec {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[crd(type = "integer")]
    pub size: Option<i64>,
}
