//! Unknown verbs (client-gen ignores `onlyVerbs=gett` and generates a client without verbs).

pub mod v1 {
    use genclient::prelude::*;

    #[genclient(only_verbs = ["gett", "list"])]
    #[group = "example.com"]
    pub struct Only {
        pub metadata: ObjectMeta,
    }

    #[genclient(skip_verbs = ["updateStatus", "deleteCollection", "explode"])]
    #[group = "example.com"]
    pub struct Skip {
        pub metadata: ObjectMeta,
    }
}
