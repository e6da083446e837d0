//! A kind without an API group.

pub mod v1 {
    use genclient::prelude::*;

    #[genclient]
    pub struct Groupless {
        pub metadata: ObjectMeta,
    }
}
