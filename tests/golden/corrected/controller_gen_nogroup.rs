//! A kind with an API group, as the API server requires in a CRD.

pub mod v1 {
    use genclient::prelude::*;

    #[genclient(skip_client)]
    #[group = "example.com"]
    pub struct CronJob {
        pub metadata: ObjectMeta,
    }
}
