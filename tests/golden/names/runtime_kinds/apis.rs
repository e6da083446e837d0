//! Kinds named like types that generated code imports or defines.

pub mod v1 {
    use genclient::prelude::*;
    #[genclient]
    #[group = "runtime.example.com"]
    pub struct Status {
        pub metadata: ObjectMeta,
    }

    #[genclient]
    #[group = "runtime.example.com"]
    pub struct Patch {
        pub metadata: ObjectMeta,
    }

    #[genclient]
    #[group = "runtime.example.com"]
    pub struct Namespace {
        pub metadata: ObjectMeta,
    }

    #[genclient]
    #[group = "runtime.example.com"]
    pub struct Clientset {
        pub metadata: ObjectMeta,
    }

    #[genclient]
    #[group = "runtime.example.com"]
    pub struct Kind {
        pub metadata: ObjectMeta,
    }

    #[genclient]
    #[group = "runtime.example.com"]
    pub struct Client {
        pub metadata: ObjectMeta,
    }
}
