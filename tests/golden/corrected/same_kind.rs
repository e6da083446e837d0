//! Two types with different kinds in one version.

pub mod v1 {
    use genclient::prelude::*;

    #[genclient]
    #[group = "example.com"]
    pub struct First {
        pub metadata: ObjectMeta,
    }

    #[genclient(kind = "Second")]
    #[group = "example.com"]
    pub struct Second {
        pub metadata: ObjectMeta,
    }
}
