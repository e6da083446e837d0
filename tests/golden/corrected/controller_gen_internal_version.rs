//! A module `internal` with a kind, which states its version with `#[version]`.

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
