//! Version `v1`.

use genclient::prelude::*;

use super::gateway::v1alpha2::PolicyStatus;

/// TestType is a top-level type. A client is created for it.
#[genclient]
#[group = "conflicting.test.example.com"]
pub struct TestType {
    pub metadata: ObjectMeta,
    #[serde(default)]
    pub status: TestTypeStatus,
    pub embedded: TestEmbeddedType,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize, CrdSchema)]
pub struct TestTypeStatus {
    pub blah: String,
    #[serde(flatten)]
    pub policy: PolicyStatus,
}

/// Struct with fields of names that an object has, too.
#[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
pub struct TestEmbeddedType {
    pub kind: String,
    pub namespace: String,
}
