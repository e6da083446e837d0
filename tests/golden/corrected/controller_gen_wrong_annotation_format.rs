//! An annotation given as a key and a value.

pub mod v1 {
    use genclient::prelude::*;

    #[genclient(skip_client)]
    #[group = "testdata.kubebuilder.io"]
    #[crd(
        storage,
        annotation("key", "value")
    )]
    pub struct CronJob {
        pub metadata: ObjectMeta,
    }
}
