//! A kind with an empty API group, which the API server refuses in a CRD.

pub mod v1 {
    use genclient::prelude::*;

    #[genclient(skip_client)]
    #[group = ""]
    pub struct CronJob {
        pub metadata: ObjectMeta,
    }
}
