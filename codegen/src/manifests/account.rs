//! The account of the program, and what its leader election may do.

use super::object::{ObjectManifest, metadata};
use super::rbac;
use super::tree::tree;
use crate::project::Deploy;

/// The account of the program.
pub(super) fn account(deploy: &Deploy) -> ObjectManifest {
    let tree = tree!({
        "apiVersion": "v1",
        "kind": "ServiceAccount",
        "metadata": (metadata(deploy, "controller-manager")),
    });
    ObjectManifest::new("rbac/service_account.yaml", "ServiceAccount", tree)
}

/// Name of the Lease that the leader holds.
pub(crate) fn lease(deploy: &Deploy) -> String {
    deploy.named("controller-manager")
}

/// The role of the leader election, and its binding. A Lease that is not there yet has no name by
/// which it could be allowed.
pub(super) fn leader_election(deploy: &Deploy) -> [ObjectManifest; 2] {
    let rules = tree!([
        {
            "apiGroups": ["coordination.k8s.io"],
            "resources": ["leases"],
            "verbs": ["create"],
        },
        {
            "apiGroups": ["coordination.k8s.io"],
            "resourceNames": [(lease(deploy))],
            "resources": ["leases"],
            "verbs": ["get", "update"],
        },
    ]);
    [
        rbac::own_role(deploy, "leader-election-role", rules).at("rbac/leader_election_role.yaml"),
        rbac::own_binding(
            deploy,
            "leader-election-role",
            "leader-election-rolebinding",
        )
        .at("rbac/leader_election_role_binding.yaml"),
    ]
}
