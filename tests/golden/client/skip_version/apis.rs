//! `skip_version`: there is a client for the version, and the CRD is without it.

pub mod v1 {
    use genclient::prelude::*;

    #[genclient]
    #[group = "train.example.com"]
    pub struct Train {
        pub metadata: ObjectMeta,
    }
}

pub mod old {
    use genclient::prelude::*;

    #[genclient(version = "v0")]
    #[group = "train.example.com"]
    #[crd(skip_version)]
    pub struct Train {
        pub metadata: ObjectMeta,
    }
}
