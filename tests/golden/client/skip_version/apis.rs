//! `skip_version`: a version with a client that is not part of the CRD.

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
