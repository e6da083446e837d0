//! Public kinds in public modules: generated code can reach them.

pub mod v1 {
    use genclient::prelude::*;

    #[genclient]
    #[group = "example.com"]
    pub struct Hidden {
        pub metadata: ObjectMeta,
    }
}

pub mod v2 {
    use genclient::prelude::*;

    #[genclient]
    #[group = "other.example.com"]
    pub struct Private {
        pub metadata: ObjectMeta,
    }
}
