//! A file without a syntax error.

pub mod v1 {
    use genclient::prelude::*;

    #[genclient]
    #[group = "example.com"]
    pub struct Broken {
        pub metadata: ObjectMeta,
    }
}
