//! controller-gen's case `valid-crosspkg-stable`: webhooks of two modules in one configuration.
use genclient::webhook;

use crate::admission::Validator;
use crate::controller_gen_webhook::apis::v1::CronJob;

pub struct Stable;

#[webhook(review_versions = ["v1", "v1beta1"], match_policy = "Equivalent", configuration = "crosspkg")]
impl Validator for Stable {
    type Object = CronJob;
}

pub mod alpha {
    use genclient::webhook;

    use crate::admission::Validator;
    use crate::controller_gen_webhook::apis::v1alpha1;

    pub struct Alpha;

    #[webhook(review_versions = ["v1", "v1beta1"], match_policy = "Equivalent", name = "a.cronjob.testdata.kubebuilder.io", configuration = "crosspkg")]
    impl Validator for Alpha {
        type Object = v1alpha1::CronJob;
    }
}
