//! Known keys.

pub mod v1 {
    use genclient::prelude::*;

    #[genclient(no_status)]
    #[group = "example.com"]
    #[crd(short_names = ["a"], printcolumn(name = "A", type = "integer", json_path = ".count"))]
    pub struct Unknown {
        pub metadata: ObjectMeta,
        #[crd(minimum = 1)]
        pub count: i32,
        pub inner: Inner,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct Inner {
        #[crd(max_length = 3)]
        pub text: String,
    }
}
