//! Selectors of namespaces and objects: controller-gen's cases `valid-namespaceselector`,
//! `valid-objectselector` and `valid-selectors-matchexpressions`.
use genclient::webhook;

use crate::admission::{Defaulter, Validator};
use crate::controller_gen_webhook::apis::v1::CronJob;

pub struct Namespaces;

#[webhook(namespace_selector = { "matchLabels": { "webhook-enabled": "true" } }, configuration = "selectors")]
impl Validator for Namespaces {
    type Object = CronJob;
}

pub struct Objects;

#[webhook(object_selector = { "matchLabels": { "managed-by": "myoperator" } }, configuration = "selectors")]
impl Defaulter for Objects {
    type Object = CronJob;
}

pub struct Tiers;

#[webhook(object_selector = { "matchExpressions": [{ "key": "tier", "operator": "In", "values": ["frontend", "backend"] }], "matchLabels": { "managed-by": "controller" } }, configuration = "expressions")]
impl Defaulter for Tiers {
    type Object = CronJob;
}

pub struct Environments;

#[webhook(namespace_selector = { "matchExpressions": [{ "key": "environment", "operator": "In", "values": ["dev", "staging", "prod"] }] }, configuration = "expressions")]
impl Validator for Environments {
    type Object = CronJob;
}
