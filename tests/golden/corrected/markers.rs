//! Attributes in place of Go markers.

pub mod v1 {
    use genclient::prelude::*;

    #[genclient]
    #[crd(short_names = ["rb"])]
    #[group = "example.com"]
    pub struct Robot {
        pub metadata: ObjectMeta,
        pub spec: RobotSpec,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct RobotSpec {
        /// Number of arms.
        #[crd(maximum = 2)]
        pub arms: i32,
        #[crd(list_type = "set")]
        pub names: Vec<String>,
    }
}
