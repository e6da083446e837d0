//! A module `internal` without a kind: all its types have `#[crd(skip)]`.

pub mod internal {
    use genclient::prelude::*;

    #[derive(CrdSchema)]
    #[crd(skip)]
    pub struct CronJobSpec {
        pub schedule: String,
    }

    #[derive(CrdSchema)]
    #[crd(skip)]
    pub struct CronJob {
        pub metadata: ObjectMeta,
        pub spec: CronJobSpec,
    }
}
