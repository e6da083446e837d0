//! controller-gen's case `valid-custom-name`: configurations with names of their own.
use genclient::webhook;

use crate::admission::{Defaulter, Validator};
use crate::controller_gen_webhook::apis::v1::CronJob;

pub struct Defaults;

#[webhook(review_versions = ["v1", "v1beta1"], match_policy = "Equivalent", timeout = 10, reinvocation_policy = "IfNeeded", configuration = "foo")]
impl Defaulter for Defaults {
    type Object = CronJob;
}

pub struct Checks;

#[webhook(review_versions = ["v1", "v1beta1"], match_policy = "Equivalent", timeout = 10, configuration = "bar")]
impl Validator for Checks {
    type Object = CronJob;
}
