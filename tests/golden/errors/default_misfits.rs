//! Defaults and constraints that do not fit the type, and a scale path outside of `.spec`.

pub mod v1 {
    use genclient::prelude::*;

    #[genclient]
    #[group = "example.com"]
    #[crd(scale(spec_replicas_path = "spec.replicas", status_replicas_path = ".status.replicas"))]
    pub struct Misfit {
        pub metadata: ObjectMeta,
        #[crd(default = "three")]
        pub count: Count,
        #[crd(minimum = 5, maximum = 1)]
        pub range: i32,
        #[crd(unique_items)]
        pub list: Vec<String>,
        #[crd(list_type = "map")]
        pub map: Vec<String>,
        #[crd(min_length = 1)]
        pub newtype: Count,
        #[crd(default = "5 minutes")]
        pub every: Duration,
        #[crd(minimum = 5, default = 4)]
        pub least: i32,
        #[crd(maximum = 5, default = 6)]
        pub most: i32,
        #[crd(minimum = 5, exclusive_minimum, default = 5)]
        pub above: i32,
        #[crd(maximum = 5, exclusive_maximum, default = 5)]
        pub below: i32,
        #[crd(pattern = "^a", default = "b")]
        pub patterned: String,
        #[crd(default = 60)]
        pub timeout: Duration,
        #[crd(default = "2020-01-01")]
        pub due: Time,
        #[crd(default = "soon")]
        pub seen: Time,
        #[crd(default = ["a"])]
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        pub tags: Vec<String>,
    }

    pub type Count = i32;
}
