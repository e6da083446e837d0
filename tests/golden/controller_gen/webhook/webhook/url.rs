//! controller-gen's case `valid-url`: webhooks that the API server calls by URL.
use genclient::webhook;

use crate::admission::Validator;
use crate::controller_gen_webhook::apis::v1::CronJob;

pub struct Checks;

#[webhook(review_versions = ["v1", "v1beta1"], match_policy = "Equivalent", timeout = 10, url = "https://somewebhook:9443/validate-testdata-kubebuilder-io-v1-cronjob", configuration = "url")]
impl Validator for Checks {
    type Object = CronJob;
}

pub struct DryRun;

#[webhook(review_versions = ["v1", "v1beta1"], match_policy = "Equivalent", timeout = 10, side_effects = "NoneOnDryRun", url = "https://anothersomewebhook:9443/validate-testdata-kubebuilder-io-v1-cronjob", name = "dry-run.cronjob.testdata.kubebuilder.io", configuration = "url")]
impl Validator for DryRun {
    type Object = CronJob;
}
