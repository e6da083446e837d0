//! Options that contradict each other. client-gen's check of `skipVerbs` beside `onlyVerbs` can never fire (bug a).

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
