//! Types beside the group.

use genclient::prelude::*;

/// Data of another part of the program.
#[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
pub struct ExternalData {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
}
