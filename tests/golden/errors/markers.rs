//! Go markers left in comments: they have no effect, and would appear in descriptions.

pub mod v1 {
    use genclient::prelude::*;

    // +kubebuilder:object:root=true
    // +kubebuilder:resource:shortName=rb
    #[genclient]
    #[group = "example.com"]
    pub struct Robot {
        pub metadata: ObjectMeta,
        pub spec: RobotSpec,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct RobotSpec {
        /// Number of arms.
        /// +kubebuilder:validation:Maximum=2
        pub arms: i32,
        // +listType=set
        #[crd(listType = "set")]
        pub names: Vec<String>,
    }
}
