//! What Go's tools have markers for.

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
        /// How many arms it has.
        #[crd(maximum = 2)]
        pub arms: i32,
        #[crd(list_type = "set")]
        pub names: Vec<String>,
    }
}
