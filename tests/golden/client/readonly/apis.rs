//! `readonly`: the verbs `get`, `list` and `watch`, in addition to those of `only_verbs`.

pub mod v1 {
    use genclient::prelude::*;

    #[genclient(readonly)]
    #[group = "measures.example.com"]
    pub struct Reading {
        pub metadata: ObjectMeta,
        pub value: i64,
    }

    #[genclient(readonly, only_verbs = ["delete"])]
    #[group = "measures.example.com"]
    pub struct Sample {
        pub metadata: ObjectMeta,
        pub value: i64,
    }
}
