//! Reads that stated rules limit.

use genclient::rbac;
use genclient_controller::Watch;
use k8s_openapi::api::coordination::v1::Lease;
use k8s_openapi::api::core::v1::{ConfigMap, Endpoints};

/// A rule with a namespace is the only one.
#[rbac(resource = Lease, verbs = ["get", "list", "watch"], namespace = "leases", role = "leases")]
pub fn leases() -> Watch<Lease> {
    Watch::<Lease>::new().namespaces(["leases"])
}

/// So is one with names.
#[rbac(resource = ConfigMap, verbs = ["list", "watch"], names = ["settings"])]
pub fn settings() -> Watch<ConfigMap> {
    Watch::<ConfigMap>::new().fields("metadata.name=settings")
}

/// A rule of the whole cluster is joined with what follows.
#[rbac(resource = Endpoints, verbs = ["get", "list"])]
pub fn endpoints() -> Watch<Endpoints> {
    Watch::<Endpoints>::new()
}
