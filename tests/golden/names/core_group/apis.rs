//! Kind of the core group, whose name is empty. A CRD cannot define such a kind.

pub mod v1 {
    use genclient::prelude::*;

    #[genclient(skip_crd)]
    #[group = ""]
    pub struct Gadget {
        pub metadata: ObjectMeta,
    }
}
