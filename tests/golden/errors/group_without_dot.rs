//! Kinds with a CRD in a group without a dot, which the API server refuses.

pub mod v1 {
    use genclient::prelude::*;

    #[genclient]
    #[group = "apps"]
    pub struct Dotless {
        pub metadata: ObjectMeta,
    }

    #[genclient]
    #[group = ""]
    pub struct Core {
        pub metadata: ObjectMeta,
    }
}
