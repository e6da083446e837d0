//! A kind with several versions and one storage version.

pub mod v1 {
    use genclient::prelude::*;

    #[genclient]
    #[group = "example.com"]
    pub struct Stored {
        pub metadata: ObjectMeta,
    }
}

pub mod v2 {
    use genclient::prelude::*;

    #[genclient]
    #[group = "example.com"]
    #[crd(storage)]
    pub struct Stored {
        pub metadata: ObjectMeta,
    }
}
