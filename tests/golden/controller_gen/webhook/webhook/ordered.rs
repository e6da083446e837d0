//! controller-gen's case `valid-ordered`: webhooks are sorted by name.
use genclient::webhook;

use crate::admission::Validator;
use crate::controller_gen_webhook::apis::v1::CronJob;

pub struct Deployments;

#[webhook(review_versions = ["v1", "v1beta1"], match_policy = "Equivalent", resources = ["deployments"], path = "/validate-testdata-kubebuilder-io-v1-deployments", name = "deployment.testdata.kubebuilder.io", configuration = "ordered")]
impl Validator for Deployments {
    type Object = CronJob;
}

pub struct Lists;

#[webhook(review_versions = ["v1", "v1beta1"], match_policy = "Equivalent", resources = ["cronjoblist"], path = "/validate-testdata-kubebuilder-io-v1-cronjoblist", name = "cronjoblist.testdata.kubebuilder.io", configuration = "ordered")]
impl Validator for Lists {
    type Object = CronJob;
}

pub struct Jobs;

#[webhook(review_versions = ["v1", "v1beta1"], match_policy = "Equivalent", name = "cronjob.testdata.kubebuilder.io", configuration = "ordered")]
impl Validator for Jobs {
    type Object = CronJob;
}
