use genclient::prelude::*;

pub mod v1 {
    use super::*;

    #[genclient]
    #[group = "testdata.kubebuilder.io"]
    #[crd(storage)]
    pub struct CronJob {
        pub metadata: ObjectMeta,
    }
}

pub mod v1alpha1 {
    use super::*;

    #[genclient]
    #[group = "testdata.kubebuilder.io"]
    pub struct CronJob {
        pub metadata: ObjectMeta,
    }
}
