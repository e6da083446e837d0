//! Types that are marked as not served, and nothing else.

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
