//! Kinds with plurals of their own, in one version and in two.

pub mod v1 {
    use genclient::prelude::*;

    #[genclient]
    #[group = "example.com"]
    pub struct Leaf {
        pub metadata: ObjectMeta,
    }

    #[genclient(skip_client)]
    #[group = "example.com"]
    #[crd(plural = "absences")]
    pub struct Leave {
        pub metadata: ObjectMeta,
    }
}

pub mod v2 {
    use genclient::prelude::*;

    #[genclient]
    #[group = "example.com"]
    #[crd(plural = "trees")]
    pub struct Tree {
        pub metadata: ObjectMeta,
    }
}
