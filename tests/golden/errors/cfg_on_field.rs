//! A field with `#[cfg]`, although a CRD has the same fields in every build.

pub mod v1 {
    use genclient::prelude::*;

    #[genclient]
    #[group = "example.com"]
    pub struct Conditional {
        pub metadata: ObjectMeta,
        #[cfg(feature = "extra")]
        pub extra: String,
    }
}
