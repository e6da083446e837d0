//! A kind that is two types, each in another build.

pub mod v1 {
    use genclient::prelude::*;

    #[genclient(kind = "Widget")]
    #[group = "errors.example.com"]
    #[cfg(feature = "extra")]
    pub struct Large {
        pub metadata: ObjectMeta,
    }

    #[genclient(kind = "Widget")]
    #[group = "errors.example.com"]
    #[cfg(not(feature = "extra"))]
    pub struct Small {
        pub metadata: ObjectMeta,
    }
}
