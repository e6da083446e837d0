//! Keys where they are allowed.

pub mod v1 {
    use genclient::prelude::*;

    #[genclient(no_status)]
    #[crd(short_names = ["a"])]
    #[group = "example.com"]
    #[crd(printcolumn(name = "A", type = "string", json_path = ".a"))]
    #[crd(storage)]
    pub struct Misplaced {
        pub metadata: ObjectMeta,
        pub a: String,
        pub count: i32,
        #[crd(optional)]
        pub inner: Option<Inner>,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct Inner {
        pub text: String,
    }
}
