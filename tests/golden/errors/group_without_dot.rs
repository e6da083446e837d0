//! The API server refuses such a CRD; with `skip_crd` the group would be fine.

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
