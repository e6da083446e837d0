//! The kind `Option` in version `v1` of the group `type.example.com`.

use genclient::prelude::*;

/// Named like a part of Rust.
#[genclient]
#[group = "type.example.com"]
#[kind = "Option"]
pub struct OptionObject {
    /// Standard object metadata.
    pub metadata: ObjectMeta,

    /// Its fields.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spec: Option<OptionSpec>,
}

/// Fields of `.spec` in `Option`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, CrdSchema)]
pub struct OptionSpec {
    /// Names.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub list: Option<Vec<String>>,

    /// A time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since: Option<Time>,
}
