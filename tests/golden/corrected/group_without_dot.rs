//! A CRD whose group has a dot, and a group without one of which there is no CRD.

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
