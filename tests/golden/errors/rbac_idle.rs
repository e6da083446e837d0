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
#[rbac(group = "boats.example.com", resources = ["ferrys/status", "feries"], verbs = ["get"])]
#[rbac(group = "boats.example.com", resources = ["ferrie", "boats"], verbs = ["get"])]
#[rbac(group = "boats.example.com", resources = ["ferries/stats"], verbs = ["get"])]
#[rbac(group = "boats.example.com", resources = ["ferries/finalizer"], verbs = ["update"])]
#[rbac(group = "boats.example.com", resources = ["ferries/scale"], verbs = ["get"])]
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
    #[rbac(groups = ["example.com", "other.com"], resources = ["others"], verbs = ["get"])]
    #[rbac(
        group = "boats.example.com",
        resources = ["ferries", "ferries/status", "ferries/finalizers", "*/scale"],
        verbs = ["update"]
    )]
    pub fn reconcile() {}
}

// A webhook that is never called.
#[webhook(groups = [""], versions = ["v1"], resources = ["pod"], operations = ["create"], path = "/a", name = "a.example.com")]
impl Validator for Plain {
    type Object = Task;
}
