use genclient::prelude::*;
use genclient::{rbac, webhook};

#[genclient]
#[group = "example.com"]
#[version = "v1"]
pub struct Task {
    pub metadata: ObjectMeta,
}

/// A kind with a status, but without a scale.
#[genclient]
#[group = "boats.example.com"]
#[version = "v1"]
pub struct Ferry {
    pub metadata: ObjectMeta,
    pub status: Option<FerryStatus>,
}

#[derive(CrdSchema)]
pub struct FerryStatus {
    pub docked: bool,
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
#[rbac(group = "boats.example.com", resources = ["ferries", "ferries/status"], verbs = ["get"])]
#[rbac(group = "boats.example.com", resources = ["ferries/finalizers"], verbs = ["update"])]
#[rbac(group = "authentication.k8s.io", resources = ["tokenreviews"], verbs = ["create"])]
#[rbac(urls = ["/healthz"], verbs = ["get", "post"])]
#[rbac(group = "example.com", resources = ["missing"], verbs = ["create"])]
impl Plain {}

#[webhook(groups = [""], versions = ["v1"], resources = ["pods"], operations = ["create"], path = "/a", name = "a.example.com")]
impl Validator for Plain {
    type Object = Task;
}
