//! Groups, kinds and resource names that the API server accepts.

pub mod v1 {
    use genclient::prelude::*;

    #[genclient]
    #[group = "example.com"]
    #[kind = "GPUTask"]
    #[crd(plural = "uppers", singular = "a-b", short_names = ["ok", "not"], categories = ["first"])]
    pub struct Named {
        pub metadata: ObjectMeta,
    }
}
