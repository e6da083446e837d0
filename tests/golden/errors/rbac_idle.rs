use genclient::prelude::*;
use genclient::{rbac, webhook};

#[genclient]
#[group = "example.com"]
#[version = "v1"]
pub struct Task {
    pub metadata: ObjectMeta,
}

pub struct Plain;

// A request to create or delete a collection has no name.
#[rbac(
    group = "coordination.k8s.io",
    resources = ["leases"],
    names = ["lab"],
    verbs = ["get", "create", "update"]
)]
#[rbac(group = "", resources = ["secrets"], names = ["one"], verbs = ["deletecollection"])]
// Resources that do not exist.
#[rbac(group = "", resources = ["pod"], verbs = ["get"])]
#[rbac(group = "", resources = ["deployments"], verbs = ["get"])]
#[rbac(group = "", resources = ["pods/logs"], verbs = ["get"])]
#[rbac(group = "", resources = ["configmaps/status"], verbs = ["get"])]
#[rbac(groups = ["apps", "batch"], resources = ["secrets"], verbs = ["get"])]
#[rbac(group = "example.com", resources = ["task/status"], verbs = ["get"])]
// Verbs that a resource does not have.
#[rbac(group = "authentication.k8s.io", resources = ["tokenreviews"], verbs = ["create", "list"])]
#[rbac(group = "", resources = ["pods/exec"], verbs = ["create", "watch"])]
#[rbac(group = "", resources = ["pods/log", "pods/exec"], verbs = ["get", "list"])]
#[rbac(group = "", resources = ["pods"], verbs = ["put"])]
#[rbac(urls = ["/healthz"], verbs = ["get", "create", "watch", "bind"])]
#[rbac(resource = Missing, verbs = ["create"])]
impl Plain {
    // Rules that grant something.
    #[rbac(group = "", resources = ["pods", "pods/log"], verbs = ["get", "list"])]
    #[rbac(
        group = "",
        resources = ["configmaps"],
        names = ["a"],
        verbs = ["create", "patch", "list", "watch"]
    )]
    #[rbac(group = "", resources = ["pods/exec"], names = ["a"], verbs = ["create"])]
    #[rbac(group = "", resources = ["nodes/metrics", "users"], verbs = ["get", "impersonate"])]
    #[rbac(group = "apps", resources = ["deployments/finalizers"], verbs = ["update"])]
    #[rbac(group = "apps", resources = ["*/scale"], verbs = ["list"])]
    #[rbac(group = "rbac.authorization.k8s.io", resources = ["roles"], verbs = ["bind"])]
    #[rbac(
        group = "storagemigration.k8s.io",
        resources = ["storageversionmigrations/status"],
        verbs = ["update"]
    )]
    #[rbac(groups = ["", "events.k8s.io"], resources = ["events"], verbs = ["create"])]
    #[rbac(group = "apps", resources = ["trains"], verbs = ["get"])]
    #[rbac(group = "example.com", resources = ["others"], verbs = ["get"])]
    pub fn reconcile() {}
}

// A webhook that is never called.
#[webhook(groups = [""], versions = ["v1"], resources = ["pod"], operations = ["create"], path = "/a", name = "a.example.com")]
impl Validator for Plain {
    type Object = Task;
}
