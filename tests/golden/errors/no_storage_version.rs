//! Several versions, none of them stored; and one alone that is not served.

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
    pub struct Stored {
        pub metadata: ObjectMeta,
    }
}
