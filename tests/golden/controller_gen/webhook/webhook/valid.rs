//! controller-gen's case `valid`. Unlike there, the two validating webhooks have different names,
//! because the API server rejects equal ones.
use genclient::webhook;

use crate::admission::{Defaulter, Validator};
use crate::controller_gen_webhook::apis::v1::CronJob;

pub struct Defaults;

#[webhook(review_versions = ["v1", "v1beta1"], match_policy = "Equivalent", timeout = 10)]
impl Defaulter for Defaults {
    type Object = CronJob;
}

pub struct Checks;

#[webhook(review_versions = ["v1", "v1beta1"], match_policy = "Equivalent", timeout = 10)]
impl Validator for Checks {
    type Object = CronJob;
}

pub struct DryRun;

#[webhook(review_versions = ["v1", "v1beta1"], match_policy = "Equivalent", timeout = 10, side_effects = "NoneOnDryRun", name = "dry-run.cronjob.testdata.kubebuilder.io")]
impl Validator for DryRun {
    type Object = CronJob;
}
