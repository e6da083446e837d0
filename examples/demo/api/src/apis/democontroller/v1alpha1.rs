//! Version `v1alpha1` of the group `democontroller.example.com`.

use genclient::prelude::*;

/// Requests a Deployment and reports its availability.
#[genclient]
#[group = "democontroller.example.com"]
#[crd(
    printcolumn(
        name = "Deployment",
        type = "string",
        json_path = ".spec.deploymentName"
    ),
    printcolumn(name = "Replicas", type = "integer", json_path = ".spec.replicas"),
    printcolumn(
        name = "Available",
        type = "integer",
        json_path = ".status.availableReplicas"
    )
)]
pub struct Demo {
    /// Standard object metadata.
    pub metadata: ObjectMeta,

    /// Desired state.
    pub spec: DemoSpec,

    /// Observed state.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<DemoStatus>,
}

/// Desired state of a [`Demo`].
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, CrdSchema)]
#[serde(rename_all = "camelCase")]
pub struct DemoSpec {
    /// Name of the Deployment, in the namespace of the Demo.
    pub deployment_name: String,

    /// Number of replicas; the Deployment keeps its own number if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replicas: Option<i32>,
}

/// Observed state of a [`Demo`].
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, CrdSchema)]
#[serde(rename_all = "camelCase")]
pub struct DemoStatus {
    /// How many Pods of the Deployment are available.
    pub available_replicas: i32,
}
