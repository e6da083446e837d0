//! A kind with a CRD in a group with a dot, and a kind without a CRD in the core group.

pub mod v1 {
    use genclient::prelude::*;

    #[genclient]
    #[group = "apps.example.com"]
    pub struct Dotless {
        pub metadata: ObjectMeta,
    }

    #[genclient(skip_crd)]
    #[group = ""]
    pub struct Core {
        pub metadata: ObjectMeta,
    }
}
