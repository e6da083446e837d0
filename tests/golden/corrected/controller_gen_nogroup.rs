//! The API server takes a CRD with a group.

pub mod v1 {
    use genclient::prelude::*;

    #[genclient(skip_client)]
    #[group = "example.com"]
    pub struct CronJob {
        pub metadata: ObjectMeta,
    }
}
