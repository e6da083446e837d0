//! The core group has an empty name; its CRD is not ours to write.

pub mod v1 {
    use genclient::prelude::*;

    #[genclient(skip_crd)]
    #[group = ""]
    pub struct Gadget {
        pub metadata: ObjectMeta,
    }
}
