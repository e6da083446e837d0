//! Two types with the same kind in one version.

pub mod v1 {
    use genclient::prelude::*;

    #[genclient]
    #[group = "example.com"]
    pub struct First {
        pub metadata: ObjectMeta,
    }

    #[genclient(kind = "First")]
    #[group = "example.com"]
    pub struct Second {
        pub metadata: ObjectMeta,
    }
}
