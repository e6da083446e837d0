//! A kind with an API group.

pub mod v1 {
    use genclient::prelude::*;

    #[genclient]
    #[group = "example.com"]
    pub struct Groupless {
        pub metadata: ObjectMeta,
    }
}
