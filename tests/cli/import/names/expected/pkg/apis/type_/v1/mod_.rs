//! The kind `Mod` in version `v1` of the group `type.example.com`.

use genclient::prelude::*;

/// Named like a part of Rust.
#[genclient]
#[group = "type.example.com"]
pub struct Mod {
    /// Standard object metadata.
    pub metadata: ObjectMeta,

    /// Its fields.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spec: Option<ModSpec>,
}

/// Fields of `.spec` in `Mod`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, CrdSchema)]
pub struct ModSpec {
    /// Names.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub list: Option<Vec<String>>,

    /// A time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since: Option<Time>,
}
