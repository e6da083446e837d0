use genclient::prelude::*;
use genclient::{rbac, webhook};

#[genclient]
#[group = "example.com"]
#[version = "v1"]
pub struct Task {
    pub metadata: ObjectMeta,
}

pub struct Plain;

#[rbac(
    group = "coordination.k8s.io",
    resources = ["leases"],
    names = ["lab"],
    verbs = ["get", "update"]
)]
#[rbac(group = "coordination.k8s.io", resources = ["leases"], verbs = ["create"])]
#[rbac(group = "", resources = ["secrets"], verbs = ["deletecollection"])]
#[rbac(group = "", resources = ["pods"], verbs = ["get", "update"])]
#[rbac(group = "apps", resources = ["deployments"], verbs = ["get"])]
#[rbac(group = "", resources = ["pods/log", "pods/exec"], verbs = ["get"])]
#[rbac(group = "", resources = ["secrets"], verbs = ["get"])]
#[rbac(group = "example.com", resources = ["tasks/status"], verbs = ["get"])]
#[rbac(group = "authentication.k8s.io", resources = ["tokenreviews"], verbs = ["create"])]
#[rbac(urls = ["/healthz"], verbs = ["get", "post"])]
#[rbac(group = "example.com", resources = ["missing"], verbs = ["create"])]
impl Plain {}

#[webhook(groups = [""], versions = ["v1"], resources = ["pods"], operations = ["create"], path = "/a", name = "a.example.com")]
impl Validator for Plain {
    type Object = Task;
}
