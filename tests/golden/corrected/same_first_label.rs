//! Groups with one first label, and one that the informer factory has no room for, each with an
//! alias.

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
