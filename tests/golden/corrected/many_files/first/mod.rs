pub mod v1 {
    use genclient::prelude::*;

    #[genclient(readonly)]
    #[group = "example.com"]
    pub struct One {
        pub metadata: ObjectMeta,
    }

    #[genclient]
    #[group = "first.example.com"]
    #[crd(plural = "two")]
    pub struct Two {
        pub metadata: ObjectMeta,
    }
}
