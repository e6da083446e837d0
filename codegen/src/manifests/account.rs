//! The service account of the program, and its permissions for leader election.

use super::object::{ObjectManifest, metadata};
use super::rbac;
use super::tree::tree;
use crate::project::Deploy;

/// The ServiceAccount of the program.
pub(super) fn account(deploy: &Deploy) -> ObjectManifest {
    let tree = tree!({
        "apiVersion": "v1",
        "kind": "ServiceAccount",
        "metadata": (metadata(deploy, "controller-manager")),
    });
    ObjectManifest::new("rbac/service_account.yaml", "ServiceAccount", tree)
}

/// The name of the leader election Lease.
pub(crate) fn lease(deploy: &Deploy) -> String {
    deploy.named("controller-manager")
}

/// The role of leader election, and its binding. `create` cannot be restricted by `resourceNames`,
/// since the Lease does not exist yet.
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
