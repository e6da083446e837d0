//! Kinds named like types of the standard library, most of them in its prelude.

pub mod v1 {
    use genclient::prelude::*;
    #[genclient]
    #[group = "prelude.example.com"]
    pub struct Box {
        pub metadata: ObjectMeta,
    }

    #[genclient]
    #[group = "prelude.example.com"]
    pub struct Option {
        pub metadata: ObjectMeta,
    }

    #[genclient]
    #[group = "prelude.example.com"]
    pub struct Result {
        pub metadata: ObjectMeta,
    }

    #[genclient]
    #[group = "prelude.example.com"]
    pub struct Vec {
        pub metadata: ObjectMeta,
    }

    #[genclient]
    #[group = "prelude.example.com"]
    pub struct Arc {
        pub metadata: ObjectMeta,
    }

    #[genclient]
    #[group = "prelude.example.com"]
    pub struct String {
        pub metadata: ObjectMeta,
    }
}
