use genclient::prelude::*;
use genclient::rbac;

#[genclient]
#[group = "example.com"]
#[version = "v1"]
pub struct Task {
    pub metadata: ObjectMeta,
}

pub struct Plain;

#[rbac(resource = Task, verbs = ["create"])]
#[rbac(group = "example.com", resources = ["plains"], verbs = ["create"])]
#[rbac(group = "", resources = ["pods"], verbs = ["create"])]
#[rbac(group = "apps", resources = ["deployments"], verbs = ["create"])]
#[rbac(resource = Task, verbs = ["create"])]
impl Plain {
    #[rbac(group = "", resources = ["pods"], verbs = ["get"])]
    pub fn reconcile() {}
}
