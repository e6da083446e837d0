//! Kinds with different plurals, in one version and in two.

pub mod v1 {
    use genclient::prelude::*;

    #[genclient]
    #[group = "example.com"]
    pub struct Leaf {
        pub metadata: ObjectMeta,
    }

    #[genclient]
    #[group = "example.com"]
    pub struct Absence {
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
