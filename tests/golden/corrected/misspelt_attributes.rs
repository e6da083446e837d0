//! Attributes without misspellings.

pub mod v1 {
    use genclient::prelude::*;

    #[genclient]
    #[group = "example.com"]
    #[version = "v1"]
    #[crd(short_names = ["st"])]
    pub struct Station {
        pub metadata: ObjectMeta,
        #[crd(min_length = 1)]
        pub name: String,
    }

    #[genclient]
    #[group = "example.com"]
    pub struct Platform {
        pub metadata: ObjectMeta,
    }

    #[genclient(group = "example.com")]
    pub struct Track {
        pub metadata: ObjectMeta,
    }
}
