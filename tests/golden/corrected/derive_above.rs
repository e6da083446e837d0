//! A derive below `#[genclient]`: it runs after the attribute does.

pub mod v1 {
    use genclient::prelude::*;

    #[genclient]
    #[derive(Debug)]
    #[group = "example.com"]
    pub struct Late {
        pub metadata: ObjectMeta,
    }
}
