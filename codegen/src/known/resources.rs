//! Resources of Kubernetes with their verbs, for the rules of roles.

use super::kinds::{self, is_group};

/// Resources and subresources of stable versions with their verbs, as the API server publishes
/// them.
const RESOURCES: &str = include_str!("resources.tsv");

/// Resources that exist only for the authorizer: those of impersonation
/// (`impersonation.WithImpersonation`), of signers (`certificates.IsAuthorizedForSignerName`), and
/// of Pod security policies, which Kubernetes 1.25 removed.
const AUTHORIZER_RESOURCES: [(&str, &str); 6] = [
    ("", "groups"),
    ("", "users"),
    ("authentication.k8s.io", "uids"),
    ("authentication.k8s.io", "userextras"),
    ("certificates.k8s.io", "signers"),
    ("policy", "podsecuritypolicies"),
];

/// A row of [`RESOURCES`].
struct ResourceRow {
    group: &'static str,
    /// The resource or subresource, such as `pods/log`.
    resource: &'static str,
    /// The verbs, separated by commas.
    verbs: &'static str,
}

fn resource_rows() -> impl Iterator<Item = ResourceRow> {
    RESOURCES.lines().filter_map(|line| {
        let (group, rest) = line.split_once('\t')?;
        let (resource, verbs) = rest.split_once('\t')?;
        Some(ResourceRow {
            group,
            resource,
            verbs,
        })
    })
}

/// Returns whether a rule for this resource or subresource can grant something. The group is one of
/// Kubernetes.
pub(crate) fn has_resource(group: &str, resource: &str) -> bool {
    let is_there = |name: &str| {
        let mut rows = resource_rows();
        rows.any(|row| row.group == group && row.resource == name)
    };
    if is_there(resource) {
        return true;
    }
    let (plural, subresource) = match resource.split_once('/') {
        Some((plural, subresource)) => (plural, Some(subresource)),
        None => (resource, None),
    };
    if AUTHORIZER_RESOURCES.contains(&(group, plural)) {
        return true;
    }
    match subresource {
        // The kubelet authorizes its endpoints as subresources of its Node.
        Some(_) if (group, plural) == ("", "nodes") => true,
        // Authorized by the admission plug-in `OwnerReferencesPermissionEnforcement`.
        Some("finalizers") if is_there(plural) => true,
        // Authorized by OpenShift's admission plug-in `RestrictedEndpointsAdmission`.
        Some("restricted") if (group, plural) == ("", "endpoints") => true,
        // Granular authorization of `resourceclaims/status`.
        Some("binding" | "driver") if plural == "resourceclaims" => true,
        // Subresources of unstable versions are unknown.
        _ => {
            !is_there(plural)
                && kinds::BuiltinKind::all()
                    .any(|kind| kind.group == group && kind.plural == plural)
        }
    }
}

/// Returns the verbs of a resource or subresource, if they are known.
pub(crate) fn verbs(group: &str, resource: &str) -> Option<Vec<&'static str>> {
    let mut rows = resource_rows().filter(|_| is_group(group));
    let row = rows.find(|row| row.group == group && row.resource == resource)?;
    Some(row.verbs.split(',').collect())
}

/// Returns the subresources of a resource, such as `pods/log`.
pub(crate) fn subresources(plural: &str) -> impl Iterator<Item = &'static str> {
    resource_rows().filter_map(move |row| {
        let (parent, _) = row.resource.split_once('/')?;
        (parent == plural).then_some(row.resource)
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::fs;

    use super::RESOURCES;

    /// The API server in the process has the same table, with more columns.
    #[test]
    fn resources_are_those_of_the_api_server() {
        let kinds = fs::read_to_string("../runtime/apiserver/builtins/data/kinds.tsv").unwrap();
        let mut kind = ("", "");
        let mut lines = BTreeSet::new();
        for line in kinds.lines() {
            let cells: Vec<_> = line.split('\t').collect();
            match cells[0] {
                "kind" => {
                    kind = (cells[1], cells[3]);
                    lines.insert(format!("{}\t{}\t{}", kind.0, kind.1, cells[9]));
                }
                "subresource" => {
                    lines.insert(format!("{}\t{}/{}\t{}", kind.0, kind.1, cells[1], cells[5]));
                }
                _ => {}
            }
        }
        let (header, _) = RESOURCES.split_once('\n').unwrap();
        let lines: Vec<_> = lines.into_iter().collect();
        let expected = format!("{header}\n{}\n", lines.join("\n"));
        if std::env::var_os("UPDATE_EXPECT").is_some() {
            fs::write("src/known/resources.tsv", expected).unwrap();
        } else {
            assert!(expected == RESOURCES, "run with UPDATE_EXPECT=1");
        }
    }
}
