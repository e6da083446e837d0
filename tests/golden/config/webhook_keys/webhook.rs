//! Every key of `#[webhook]`, every way to name the object's type, and a webhook under `cfg(test)`,
//! which is ignored.
use genclient::k8s_openapi::api::core::v1::Pod;
use genclient::kube::core::PartialObjectMeta;

use crate::admission::{Defaulter, Validator};
use crate::config_webhook_keys::apis::v1;

pub struct Pods;

#[genclient::webhook(
    operations = ["create", "connect"],
    failure_policy = "Ignore",
    timeout = 30,
    match_policy = "Exact",
    side_effects = "NoneOnDryRun",
    reinvocation_policy = "IfNeeded",
    path = "/pods/defaults",
    service = "gpu-system/webhook",
    port = 8443,
    name = "defaults.pods.example.com",
    review_versions = ["v1"],
    configuration = "gpu.example.com",
    resources = ["pods", "pods/exec"],
    namespace_selector = { "matchExpressions": [{ "key": "gpu", "operator": "DoesNotExist" }] },
    object_selector = {},
    match_conditions = [
        {
            "name": "not-nodes",
            "expression": "!('system:nodes' in request.userInfo.groups)",
        },
        { "name": "gpu", "expression": "object.spec.containers.exists(self, self.name == 'gpu')" },
    ],
)]
impl Defaulter for Pods {
    type Object = Pod;
}

pub struct Metadata;

#[genclient::webhook(operations = ["*"])]
impl Validator for Metadata {
    type Object = PartialObjectMeta<v1::Task>;
}

type Job = genclient::k8s_openapi::api::batch::v1::Job;

pub struct Jobs;

#[genclient::webhook(operations = ["delete"])]
impl Validator for Jobs {
    type Object = Job;
}

pub struct Anything<T>(std::marker::PhantomData<T>);

#[genclient::webhook(
    groups = ["*"],
    versions = ["*"],
    resources = ["*/*"],
    path = "/audit",
    name = "audit.example.com"
)]
impl<T> Validator for Anything<T> {
    type Object = T;
}

pub struct Nothing;

#[cfg(test)]
#[genclient::webhook]
impl Validator for Nothing {
    type Object = Pod;
}
