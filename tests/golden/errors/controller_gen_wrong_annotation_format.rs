//! An annotation given as one string with a colon.

pub mod v1 {
    use genclient::prelude::*;

    #[genclient(skip_client)]
    #[group = "testdata.kubebuilder.io"]
    #[crd(
        storage,
        annotation(
            "api-approved.kubernetes.io:https://github.com/kubernetes-sigs/controller-tools"
        )
    )]
    pub struct CronJob {
        pub metadata: ObjectMeta,
    }
}
