//! Versions that differ in plural, scope or short names, which a CRD has only once.

pub mod v1 {
    use genclient::prelude::*;

    #[genclient]
    #[group = "example.com"]
    #[crd(storage, short_names = ["a"])]
    pub struct Thing {
        pub metadata: ObjectMeta,
    }

    #[genclient]
    #[group = "example.com"]
    #[crd(storage)]
    pub struct Gadget {
        pub metadata: ObjectMeta,
    }
}

pub mod v2 {
    use genclient::prelude::*;

    #[genclient(non_namespaced)]
    #[group = "example.com"]
    #[crd(short_names = ["b"])]
    pub struct Thing {
        pub metadata: ObjectMeta,
    }

    #[genclient]
    #[group = "example.com"]
    #[crd(plural = "gadgetry")]
    pub struct Gadget {
        pub metadata: ObjectMeta,
    }
}
