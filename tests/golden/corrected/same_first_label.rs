//! Groups with the same first label, or one that the informer factory uses, with
//! aliases.

pub mod v1 {
    use genclient::prelude::*;

    #[genclient]
    #[group = "example.com"]
    pub struct First {
        pub metadata: ObjectMeta,
    }

    #[genclient]
    #[group = "example.test.dev"]
    pub struct Second {
        pub metadata: ObjectMeta,
    }

    #[genclient]
    #[group = "start.example.com"]
    pub struct Third {
        pub metadata: ObjectMeta,
    }
}
