//! Version `v1` of the group `example.com`.

use genclient::prelude::*;
use k8s_openapi::api::core::v1::{ObjectReference, Toleration};

/// A job.
#[genclient(skip_crd)]
#[group = "example.com"]
pub struct Job {
    /// Standard object metadata.
    pub metadata: ObjectMeta,

    /// Desired state.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spec: Option<JobSpec>,

    /// Observed state.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<JobStatus>,
}

/// Fields of `.spec` in `Job`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, CrdSchema)]
#[serde(rename_all = "camelCase")]
pub struct JobSpec {
    /// Its environment.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub env: Option<Vec<Env>>,

    /// A Pod.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pod_ref: Option<ObjectReference>,

    /// Where it runs all the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tolerations: Option<Vec<Toleration>>,
}

/// ---
/// Fields of `.spec.env` in `Job`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, CrdSchema)]
pub struct Env {
    /// Name of the variable.
    pub name: String,

    /// How much memory it has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub size: Option<Quantity>,
}

/// Fields of `.status` in `Job`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, CrdSchema)]
pub struct JobStatus {
    /// Its conditions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[crd(list_type = "map", list_map_keys = ["type"])]
    pub conditions: Option<Vec<Condition>>,
}
