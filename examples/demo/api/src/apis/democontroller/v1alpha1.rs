//! Version `v1alpha1` of the group `democontroller.example.com`.

use genclient::prelude::*;

/// Asks for a Deployment, and says how far it has got.
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
    /// Name, namespace, labels and what the API server keeps of the object.
    pub metadata: ObjectMeta,

    /// What is asked for.
    pub spec: DemoSpec,

    /// What there is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<DemoStatus>,
}

/// What a [`Demo`] asks for.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, CrdSchema)]
#[serde(rename_all = "camelCase")]
pub struct DemoSpec {
    /// Name of the Deployment, in the namespace of the Demo.
    pub deployment_name: String,

    /// How many Pods the Deployment has; as many as the Deployment says if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replicas: Option<i32>,
}

/// What the controller has seen of a [`Demo`].
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, CrdSchema)]
#[serde(rename_all = "camelCase")]
pub struct DemoStatus {
    /// How many Pods of the Deployment are available.
    pub available_replicas: i32,
}
