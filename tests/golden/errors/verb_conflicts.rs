//! Conflicting options (client-gen's check of `skipVerbs` with `onlyVerbs` can never fire).

pub mod v1 {
    use genclient::prelude::*;

    #[genclient(only_verbs = ["get"], skip_verbs = ["list"])]
    #[group = "example.com"]
    pub struct OnlySkip {
        pub metadata: ObjectMeta,
    }

    #[genclient(no_verbs, readonly)]
    #[group = "example.com"]
    pub struct NoRead {
        pub metadata: ObjectMeta,
    }

    #[genclient(only_verbs = ["update_status"])]
    #[group = "example.com"]
    pub struct Statusless {
        pub metadata: ObjectMeta,
    }

    #[genclient(non_namespaced)]
    #[group = "example.com"]
    #[crd(scope = "Namespaced")]
    pub struct Scopes {
        pub metadata: ObjectMeta,
    }
}
