//! A CRD is one for all builds, and so are the fields of a type.

pub mod v1 {
    use genclient::prelude::*;

    #[genclient]
    #[group = "example.com"]
    pub struct Conditional {
        pub metadata: ObjectMeta,
        pub extra: String,
    }
}
