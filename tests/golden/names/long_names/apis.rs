//! Names of 25 and 45 letters: generated code exceeds every width at which rustfmt breaks a line.

pub mod v1beta1 {
    use genclient::prelude::*;

    /// Kind with a name of 25 letters.
    #[genclient(method(
        name = "get_scale_of_everything_else",
        verb = "get",
        subresource = "scaleofeverything",
        result = "ClusterInferencePoolSetty"
    ))]
    #[group = "infrastructureandplatform.example.com"]
    #[crd(scale(
        spec_replicas_path = ".spec.replicas",
        status_replicas_path = ".status.replicas"
    ))]
    pub struct ClusterInferencePoolSetty {
        pub metadata: ObjectMeta,
        pub spec: Replicas,
        pub status: Option<Replicas>,
    }

    /// Kind with a name of 45 letters.
    #[genclient]
    #[group = "infrastructureandplatformandnetworksandpolicy.example.com"]
    pub struct HorizontallyScalableMachineLearningWorkloadss {
        pub metadata: ObjectMeta,
        pub status: Option<Replicas>,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct Replicas {
        pub replicas: i32,
    }
}
