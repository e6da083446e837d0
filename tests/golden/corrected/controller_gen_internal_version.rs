//! A type that is served, in a module that is not named like a version.

pub mod internal {
    use genclient::prelude::*;

    #[derive(CrdSchema)]
    pub struct CronJobSpec {
        pub schedule: String,
    }

    #[genclient]
    #[group = "example.com"]
    #[version = "v1"]
    pub struct CronJob {
        pub metadata: ObjectMeta,
        pub spec: CronJobSpec,
    }
}
