//! Known verbs.

pub mod v1 {
    use genclient::prelude::*;

    #[genclient(only_verbs = ["get", "list"])]
    #[group = "example.com"]
    pub struct Only {
        pub metadata: ObjectMeta,
    }

    #[genclient(skip_verbs = ["update_status", "delete_collection", "create"])]
    #[group = "example.com"]
    pub struct Skip {
        pub metadata: ObjectMeta,
    }
}
