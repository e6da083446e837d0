//! Defaults and constraints that fit the type, and a scale path below `.spec`.

pub mod v1 {
    use genclient::prelude::*;

    #[genclient]
    #[group = "example.com"]
    #[crd(scale(spec_replicas_path = ".spec.replicas", status_replicas_path = ".status.replicas"))]
    pub struct Misfit {
        pub metadata: ObjectMeta,
        #[crd(default = 3)]
        pub count: Count,
        #[crd(minimum = 1, maximum = 5)]
        pub range: i32,
        #[crd(list_type = "set")]
        pub list: Vec<String>,
        #[crd(list_type = "map", list_map_keys = ["name"])]
        pub map: Vec<Named>,
        #[crd(minimum = 1, maximum = 2)]
        pub newtype: Count,
        #[crd(default = "1h30m")]
        pub every: Duration,
        #[crd(minimum = 5, default = 5)]
        pub least: i32,
        #[crd(maximum = 5, default = 5)]
        pub most: i32,
        #[crd(minimum = 5, exclusive_minimum, default = 6)]
        pub above: i32,
        #[crd(maximum = 5, exclusive_maximum, default = 4)]
        pub below: i32,
        #[crd(pattern = "^a", default = "a")]
        pub patterned: String,
        #[crd(default = "1h30m")]
        pub timeout: Duration,
        #[crd(default = "2020-01-01T00:00:00Z")]
        pub due: Time,
        #[crd(default = "2020-01-01T00:00:00Z")]
        pub seen: Time,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        pub tags: Vec<String>,
    }

    pub type Count = i32;

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct Named {
        pub name: String,
    }
}
