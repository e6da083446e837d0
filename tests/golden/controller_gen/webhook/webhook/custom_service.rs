//! controller-gen's case `valid-custom-service`. Unlike there, service names are in lower case.
use genclient::webhook;

use crate::admission::{Defaulter, Validator};
use crate::controller_gen_webhook::apis::v1::CronJob;

pub struct Defaults;

#[webhook(review_versions = ["v1", "v1beta1"], match_policy = "Equivalent", timeout = 10, reinvocation_policy = "IfNeeded", service = "system/foo", groups = ["testdata.kubebuiler.io"], configuration = "custom-service")]
impl Defaulter for Defaults {
    type Object = CronJob;
}

pub struct Checks;

#[webhook(review_versions = ["v1", "v1beta1"], match_policy = "Equivalent", timeout = 10, service = "beef/dead", port = 1234, groups = ["testdata.kubebuiler.io"], configuration = "custom-service")]
impl Validator for Checks {
    type Object = CronJob;
}
