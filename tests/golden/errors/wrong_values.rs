//! Values of the wrong type for their key.

pub mod v1 {
    use genclient::prelude::*;

    #[genclient(no_status = true, only_verbs = "get")]
    #[group = 3]
    pub struct Grouped {
        pub metadata: ObjectMeta,
    }

    #[genclient]
    #[group = "example.com"]
    #[crd(short_names = "a", scope = "Everywhere", storage = 1)]
    pub struct Wrong {
        pub metadata: ObjectMeta,
        #[crd(minimum = "one", max_length = -1, default = "three")]
        pub count: i32,
        #[crd(pattern = 3, enum = "a")]
        pub text: String,
    }
}
