pub mod v1 {
    use genclient::prelude::*;

    #[genclient]
    #[group = "second"]
    pub struct Three {
        pub metadata: ObjectMeta,
        pub spec: Gone,
    }
}
