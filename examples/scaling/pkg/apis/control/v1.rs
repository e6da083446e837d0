//! Version `v1` of the group `control.example.com`.

use genclient::prelude::*;

/// Scales a Deployment between two bounds, by a metric.
#[genclient]
#[group = "control.example.com"]
#[crd(
    printcolumn(
        name = "Deployment",
        type = "string",
        json_path = ".spec.targetDeployment"
    ),
    printcolumn(name = "Min", type = "integer", json_path = ".spec.minReplicas"),
    printcolumn(name = "Max", type = "integer", json_path = ".spec.maxReplicas")
)]
pub struct Scaling {
    /// Standard object metadata.
    pub metadata: ObjectMeta,

    /// How to scale.
    pub spec: ScalingSpec,
}

/// Desired state of a [`Scaling`].
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, CrdSchema)]
#[serde(rename_all = "camelCase")]
pub struct ScalingSpec {
    /// Name of the Deployment in the same namespace.
    pub target_deployment: String,

    /// Fewest replicas.
    pub min_replicas: i32,

    /// Most replicas.
    pub max_replicas: i32,

    /// Name of the metric, for example `cpu`.
    pub metric_type: String,

    /// How many replicas are added or removed at a time.
    pub step: i32,

    /// Replicas are added above this measurement, in percent.
    pub scale_up: i32,

    /// Replicas are removed below this measurement, in percent.
    pub scale_down: i32,
}
