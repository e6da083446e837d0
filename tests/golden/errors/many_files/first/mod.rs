pub mod v1 {
    use genclient::prelude::*;

    #[genclient(readonli)]
    pub struct One {
        pub metadata: ObjectMeta,
    }

    #[genclient]
    #[group = "first.example.com"]
    #[crd(plurl = "two")]
    pub struct Two {
        pub metadata: ObjectMeta,
    }
}
