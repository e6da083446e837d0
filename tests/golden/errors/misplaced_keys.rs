//! Keys where they are not allowed.

pub mod v1 {
    use genclient::prelude::*;

    #[genclient(short_names = ["a"])]
    #[group = "example.com"]
    #[crd(no_status)]
    pub struct Misplaced {
        pub metadata: ObjectMeta,
        #[crd(printcolumn(name = "A", type = "string", json_path = ".a"))]
        pub a: String,
        #[crd(min_length = 1)]
        pub count: i32,
        pub inner: Inner,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    #[crd(optional)]
    pub struct Inner {
        #[crd(storage)]
        pub text: String,
    }
}
