//! Values that fit the type that they are for.

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
    }

    pub type Count = i32;

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct Named {
        pub name: String,
    }
}
