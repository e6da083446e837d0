//! Hints on how to fix permanent failures of lists and watches.

use crate::reflector::ListWatchError;
use crate::scheme::GroupVersionResource;

/// Built-in groups of Kubernetes whose names contain a dot, like groups of
/// CustomResourceDefinitions.
const BUILT_IN: [&str; 18] = [
    "admissionregistration.k8s.io",
    "apiextensions.k8s.io",
    "apiregistration.k8s.io",
    "authentication.k8s.io",
    "authorization.k8s.io",
    "certificates.k8s.io",
    "coordination.k8s.io",
    "discovery.k8s.io",
    "events.k8s.io",
    "flowcontrol.apiserver.k8s.io",
    "internal.apiserver.k8s.io",
    "networking.k8s.io",
    "node.k8s.io",
    "rbac.authorization.k8s.io",
    "resource.k8s.io",
    "scheduling.k8s.io",
    "storage.k8s.io",
    "storagemigration.k8s.io",
];

/// Whether the group is built in. Every group without a dot is built in, since the group of a
/// CustomResourceDefinition must contain a dot.
fn is_built_in(group: &str) -> bool {
    !group.contains('.') || BUILT_IN.contains(&group)
}

pub(super) fn hint(
    cause: &ListWatchError,
    resource: &GroupVersionResource,
    namespace: Option<&str>,
) -> String {
    let GroupVersionResource {
        group,
        version,
        resource: plural,
    } = resource;
    match cause.code().unwrap_or_default() {
        _ if cause.is_unsent() => "the request is invalid; check the namespace".into(),
        _ if cause.is_tls_failure() => {
            "TLS failed; check the certificate authority and the address of the API server".into()
        }
        400 if cause.is_plain_http() => {
            "the API server expects HTTPS; its address has to begin with `https://`".into()
        }
        400 => "the API server rejected the request as invalid; check the selectors".into(),
        401 => "the API server rejected the credentials; they may be invalid or expired".into(),
        403 if cause.is_anonymous() => {
            "the request had no credentials; does the context of the kubeconfig name a user that \
             the kubeconfig has?"
                .into()
        }
        403 => {
            let role = namespace.map_or_else(
                || "a ClusterRole".to_owned(),
                |namespace| format!("a Role in namespace `{namespace}`"),
            );
            format!(
                "a permission is missing; grant it through {role} with the rule \
                 {{apiGroups: [\"{group}\"], resources: [\"{plural}\"], verbs: [\"list\", \"watch\"]}}"
            )
        }
        404 if is_built_in(group) => {
            format!("the API server does not serve it; is version `{version}` of its API enabled?")
        }
        404 => format!(
            "the API server does not serve it; is the CustomResourceDefinition `{plural}.{group}` \
             installed (`genclient install` in its project), and does it serve version `{version}`?"
        ),
        405 => "the API server does not allow list and watch".into(),
        _ => "the response is not from a Kubernetes API server; check the address".into(),
    }
}

#[cfg(test)]
mod tests {
    use kube::core::Status;

    use super::*;

    #[test]
    fn refusals_without_credentials_or_tls_are_recognized() {
        for (code, message, expected) in [
            (
                403,
                "configmaps is forbidden: User \"system:anonymous\" cannot list resource \"configmaps\"",
                "the request had no credentials",
            ),
            (
                403,
                "configmaps is forbidden: User \"u\" cannot list resource \"configmaps\"",
                "a permission is missing",
            ),
            (
                400,
                "Client sent an HTTP request to an HTTPS server.\n",
                "the API server expects HTTPS",
            ),
            (
                400,
                "unable to parse requirement",
                "the API server rejected the request",
            ),
        ] {
            let mut status = Status::failure(message, "");
            status.code = code;
            let found = hint(
                &ListWatchError::Status(Box::new(status)),
                &GroupVersionResource::new("", "v1", "configmaps"),
                None,
            );
            assert!(found.starts_with(expected), "{message}: {found}");
        }
    }

    #[test]
    fn built_in_groups_are_recognized() {
        for (group, built_in) in [
            ("", true),
            ("apps", true),
            ("coordination.k8s.io", true),
            ("resource.k8s.io", true),
            ("falldio.com", false),
            ("gateway.networking.k8s.io", false),
            ("snapshot.storage.k8s.io", false),
        ] {
            assert_eq!(is_built_in(group), built_in, "{group}");
        }
    }
}
