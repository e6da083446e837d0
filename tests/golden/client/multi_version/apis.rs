//! Three versions of a kind in one CRD, newest first: one stored, one unserved, two deprecated.

pub mod v1 {
    use genclient::prelude::*;

    #[genclient]
    #[group = "train.example.com"]
    #[crd(storage)]
    pub struct Train {
        pub metadata: ObjectMeta,
        pub cars: Option<i64>,
    }
}

pub mod v1beta1 {
    use genclient::prelude::*;

    #[genclient(kind = "Train", group = "train.example.com")]
    #[crd(deprecated = "train.example.com/v1beta1 is going away: use v1")]
    pub struct OldTrain {
        pub metadata: ObjectMeta,
        pub cars: Option<i32>,
    }
}

pub mod v1alpha1 {
    use genclient::prelude::*;

    #[genclient]
    #[group = "train.example.com"]
    #[crd(unserved, deprecated)]
    pub struct Train {
        pub metadata: ObjectMeta,
    }
}
