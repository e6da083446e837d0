//! Version `v1` of the group `falldio.com`.

use genclient::prelude::*;

/// Asks for a Pod on a node with a given GPU.
#[genclient]
#[group = "falldio.com"]
#[crd(
    short_names = ["gt"],
    printcolumn(name = "GPU", type = "string", json_path = ".spec.gpu"),
    printcolumn(name = "Amount", type = "string", json_path = ".spec.gpu-amount"),
    printcolumn(name = "Age", type = "date", json_path = ".metadata.creationTimestamp")
)]
pub struct GPUTask {
    /// Standard object metadata.
    pub metadata: ObjectMeta,

    /// Desired state.
    pub spec: GPUTaskSpec,
}

/// Desired state of a [`GPUTask`].
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, CrdSchema)]
#[serde(rename_all = "kebab-case")]
pub struct GPUTaskSpec {
    /// Memory limit of the container, for example `4Gi`.
    pub memory: String,

    /// Which GPU the node must have: the value of its label `falldio.com/gpu`.
    pub gpu: String,

    /// How many GPUs the container gets.
    pub gpu_amount: String,

    /// CPU limit of the container, for example `500m`.
    pub cpu: String,

    /// Priority class of the Pod; empty for the cluster's default.
    pub priority: String,
}
