//! Stated rules that limit inferred rules to a namespace or to names.

use genclient::rbac;
use genclient_controller::Watch;
use k8s_openapi::api::coordination::v1::Lease;
use k8s_openapi::api::core::v1::{ConfigMap, Endpoints};

/// A stated rule with a namespace replaces the inferred rule.
#[rbac(resource = Lease, verbs = ["get", "list", "watch"], namespace = "leases", role = "leases")]
pub fn leases() -> Watch<Lease> {
    Watch::<Lease>::new().namespaces(["leases"])
}

/// A stated rule with names replaces the inferred rule, too.
#[rbac(resource = ConfigMap, verbs = ["list", "watch"], names = ["settings"])]
pub fn settings() -> Watch<ConfigMap> {
    Watch::<ConfigMap>::new().fields("metadata.name=settings")
}

/// A stated rule for the whole cluster is merged with the inferred rule.
#[rbac(resource = Endpoints, verbs = ["get", "list"])]
pub fn endpoints() -> Watch<Endpoints> {
    Watch::<Endpoints>::new()
}
