//! Values of the right type for their key.

pub mod v1 {
    use genclient::prelude::*;

    #[genclient(no_status, only_verbs = ["get"])]
    #[group = "example.com"]
    pub struct Grouped {
        pub metadata: ObjectMeta,
    }

    #[genclient]
    #[group = "example.com"]
    #[crd(short_names = ["a"], scope = "Namespaced", storage)]
    pub struct Wrong {
        pub metadata: ObjectMeta,
        #[crd(minimum = 1, default = 3)]
        pub count: i32,
        #[crd(max_length = 1, pattern = "a", enum = ["a"])]
        pub text: String,
    }
}
