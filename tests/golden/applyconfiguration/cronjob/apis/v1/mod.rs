//! Version `v1`.

mod objects;
mod spec;
mod status;
mod values;

use genclient::prelude::*;

pub use objects::*;
pub use spec::*;
pub use status::*;
pub use values::*;

/// Runs jobs on a schedule.
#[genclient]
#[group = "testdata.example.com"]
#[crd(singular = "mycronjob")]
pub struct CronJob {
    pub metadata: ObjectMeta,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spec: Option<CronJobSpec>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<CronJobStatus>,
}

/// Kind without a namespace.
#[genclient(non_namespaced)]
#[group = "testdata.example.com"]
pub struct ClusterScopedResource {
    pub metadata: ObjectMeta,
    #[serde(default)]
    pub spec: ClusterScopedResourceSpec,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<ClusterScopedResourceStatus>,
}

/// Desired state of a cluster-scoped resource, which has no fields.
#[derive(Clone, Debug, Default, Serialize, Deserialize, CrdSchema)]
pub struct ClusterScopedResourceSpec {}

/// Observed state of a cluster-scoped resource.
#[derive(Clone, Debug, Default, Serialize, Deserialize, CrdSchema)]
pub struct ClusterScopedResourceStatus {}

/// Kind with a single field.
#[genclient]
#[group = "testdata.example.com"]
pub struct NoMarkerJob {
    pub metadata: ObjectMeta,
    #[serde(default)]
    pub spec: NoMarkerJobSpec,
}

/// Desired state of a `NoMarkerJob`.
#[derive(Clone, Debug, Default, Serialize, Deserialize, CrdSchema)]
pub struct NoMarkerJobSpec {
    /// Suspends later runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub suspend: Option<bool>,
}
