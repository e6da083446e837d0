//! Groups, kinds and resource names that the API server refuses.

pub mod v1 {
    use genclient::prelude::*;

    #[genclient]
    #[group = "Example.com"]
    #[kind = "lower"]
    #[crd(plural = "Uppers", singular = "a_b", short_names = ["ok", "Not"], categories = ["1st"])]
    pub struct Named {
        pub metadata: ObjectMeta,
    }
}
