//! The kind `Vec` in version `v1` of the group `type.example.com`.

use genclient::prelude::*;

/// Named like a part of Rust.
#[genclient]
#[group = "type.example.com"]
#[kind = "Vec"]
pub struct VecObject {
    /// Standard object metadata.
    pub metadata: ObjectMeta,

    /// Its fields.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spec: Option<VecSpec>,
}

/// Fields of `.spec` in `Vec`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, CrdSchema)]
pub struct VecSpec {
    /// Names.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub list: Option<Vec<String>>,

    /// A time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since: Option<Time>,
}
