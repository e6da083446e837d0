//! A derive below `#[genclient]` runs after it.

pub mod v1 {
    use genclient::prelude::*;

    #[genclient]
    #[derive(Debug)]
    #[group = "example.com"]
    pub struct Late {
        pub metadata: ObjectMeta,
    }
}
