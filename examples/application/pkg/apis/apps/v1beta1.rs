//! Version `v1beta1` of the group `apps.example.io`: the storage version.

use genclient::prelude::*;

/// A program that runs in several replicas, behind one address.
#[genclient]
#[group = "apps.example.io"]
#[crd(
    storage,
    short_names = ["app"],
    scale(
        spec_replicas_path = ".spec.replicas",
        status_replicas_path = ".status.readyReplicas",
        label_selector_path = ".status.selector"
    ),
    printcolumn(name = "Image", type = "string", json_path = ".spec.container.image"),
    printcolumn(name = "Replicas", type = "integer", json_path = ".spec.replicas"),
    printcolumn(name = "Ready", type = "integer", json_path = ".status.readyReplicas"),
    printcolumn(name = "URL", type = "string", json_path = ".status.url", priority = 1),
    printcolumn(name = "Age", type = "date", json_path = ".metadata.creationTimestamp"),
    conversion(webhook)
)]
pub struct Application {
    /// Standard object metadata.
    pub metadata: ObjectMeta,

    /// Desired state.
    pub spec: ApplicationSpec,

    /// Observed state.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<ApplicationStatus>,
}

/// Desired state of an [`Application`].
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, CrdSchema)]
#[serde(rename_all = "camelCase")]
pub struct ApplicationSpec {
    /// Display name; defaults to the name of the object. Immutable.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[crd(max_length = 63)]
    pub name: Option<String>,

    /// How many Pods run; 1 if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[crd(minimum = 0)]
    pub replicas: Option<i32>,

    /// Container of each Pod.
    pub container: ContainerSpec,
}

/// Container of each Pod of an [`Application`].
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, CrdSchema)]
#[serde(rename_all = "camelCase")]
pub struct ContainerSpec {
    /// Image of the container.
    #[crd(min_length = 1)]
    pub image: String,

    /// Port that the program listens on, and that the Service has.
    #[crd(minimum = 1, maximum = 65535)]
    pub port: i32,

    /// Environment of the program.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[crd(list_type = "map", list_map_keys = ["name"])]
    pub env: Vec<EnvironmentVariable>,
}

/// A variable in the environment of a program.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, CrdSchema)]
pub struct EnvironmentVariable {
    /// Name of the variable.
    #[crd(min_length = 1)]
    pub name: String,

    /// Its value.
    pub value: String,
}

/// Observed state of an [`Application`].
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, CrdSchema)]
#[serde(rename_all = "camelCase")]
pub struct ApplicationStatus {
    /// Generation of the spec that this status describes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub observed_generation: Option<i64>,

    /// How many Pods are ready.
    pub ready_replicas: i32,

    /// Label selector of the Pods, read by the HorizontalPodAutoscaler.
    pub selector: String,

    /// URL of the program within the cluster.
    pub url: String,

    /// `Available`: whether the desired number of Pods is ready.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[crd(list_type = "map", list_map_keys = ["type"])]
    pub conditions: Vec<Condition>,
}
