//! Options without conflicts.

pub mod v1 {
    use genclient::prelude::*;

    #[genclient(only_verbs = ["get"])]
    #[group = "example.com"]
    pub struct OnlySkip {
        pub metadata: ObjectMeta,
    }

    #[genclient(readonly)]
    #[group = "example.com"]
    pub struct NoRead {
        pub metadata: ObjectMeta,
    }

    #[genclient(only_verbs = ["update_status"])]
    #[group = "example.com"]
    pub struct Statusless {
        pub metadata: ObjectMeta,
        pub status: Option<String>,
    }

    #[genclient(non_namespaced)]
    #[group = "example.com"]
    pub struct Scopes {
        pub metadata: ObjectMeta,
    }
}
