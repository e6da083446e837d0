//! Values that do not fit the type that they are for.

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
    }

    pub type Count = i32;
}
