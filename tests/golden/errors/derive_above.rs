//! A derive above `#[genclient]` has run before it.

pub mod v1 {
    use genclient::prelude::*;

    #[derive(Debug)]
    #[genclient]
    #[group = "example.com"]
    pub struct Late {
        pub metadata: ObjectMeta,
    }
}
