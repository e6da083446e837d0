//! The API server takes no CRD without a group.

pub mod v1 {
    use genclient::prelude::*;

    #[genclient(skip_client)]
    #[group = ""]
    pub struct CronJob {
        pub metadata: ObjectMeta,
    }
}
