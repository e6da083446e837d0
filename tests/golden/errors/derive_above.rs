//! A derive above `#[genclient]`: it runs before the attribute does.

pub mod v1 {
    use genclient::prelude::*;

    #[derive(Debug)]
    #[genclient]
    #[group = "example.com"]
    pub struct Late {
        pub metadata: ObjectMeta,
    }
}
