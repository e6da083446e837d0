//! Kinds of the same name in several groups and versions: each has its own client, lister, informer
//! and variant of `AnyObject`.

pub mod red {
    pub mod v1 {
        use genclient::prelude::*;

        #[genclient]
        #[group = "red.example.com"]
        #[crd(storage)]
        pub struct Paint {
            pub metadata: ObjectMeta,
        }
    }

    pub mod v2alpha1 {
        use genclient::prelude::*;

        #[genclient]
        #[group = "red.example.com"]
        pub struct Paint {
            pub metadata: ObjectMeta,
        }
    }
}

pub mod blue {
    use genclient::prelude::*;

    #[genclient]
    #[group = "blue.example.com"]
    #[version = "v1"]
    pub struct Paint {
        pub metadata: ObjectMeta,
    }
}
