//! Misspelt attributes.

pub mod v1 {
    use genclient::prelude::*;

    #[genclient]
    #[gruop = "example.com"]
    #[verson = "v1"]
    #[cdr(short_names = ["st"])]
    pub struct Station {
        pub metadata: ObjectMeta,
        #[cdr(min_length = 1)]
        pub name: String,
    }

    #[genclent]
    #[group = "example.com"]
    pub struct Platform {
        pub metadata: ObjectMeta,
    }

    #[genclent(group = "example.com")]
    pub struct Track {
        pub metadata: ObjectMeta,
    }
}
