//! Markers of Go's tools that came along with the comments: they do nothing, and would end in descriptions.

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
        /// How many arms it has.
        /// +kubebuilder:validation:Maximum=2
        pub arms: i32,
        // +listType=set
        #[crd(listType = "set")]
        pub names: Vec<String>,
    }
}
