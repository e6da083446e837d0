use genclient::k8s_openapi::api::core::v1::Container;
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
#[rbac(resource = Plain, verbs = ["create"])]
#[rbac(resource = Container, verbs = ["create"])]
#[rbac(resource = Missing, verbs = ["create"])]
#[rbac(resource = Task, verbs = ["created"])]
impl Plain {
    #[rbac(resources = ["pods"], verbs = ["get"])]
    pub fn reconcile() {}
}
