//! Verbs that do not exist. client-gen ignores `onlyVerbs=gett`, and makes a client without verbs (bug c).

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
