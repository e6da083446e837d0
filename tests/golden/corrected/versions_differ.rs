//! Versions that agree in plural, scope and short names, which a CRD has only once.

pub mod v1 {
    use genclient::prelude::*;

    #[genclient(non_namespaced)]
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
    pub struct Thing {
        pub metadata: ObjectMeta,
    }

    #[genclient]
    #[group = "example.com"]
    pub struct Gadget {
        pub metadata: ObjectMeta,
    }
}
