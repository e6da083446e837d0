use genclient::prelude::*;

pub mod v1 {
    use super::*;

    #[genclient]
    #[group = "example.com"]
    pub struct Task {
        pub metadata: ObjectMeta,
    }

    #[genclient(non_namespaced)]
    #[group = "example.com"]
    pub struct Pool {
        pub metadata: ObjectMeta,
    }
}
