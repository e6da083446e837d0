//! Kinds that are private or in a private module: generated code cannot reach them.

mod v1 {
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
    struct Private {
        pub metadata: ObjectMeta,
    }
}
