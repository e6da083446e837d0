//! A field without `#[cfg]`, as a CRD has the same fields in every build.

pub mod v1 {
    use genclient::prelude::*;

    #[genclient]
    #[group = "example.com"]
    pub struct Conditional {
        pub metadata: ObjectMeta,
        pub extra: String,
    }
}
