//! Hint for a 403: the attribute and the RBAC rule that grant the missing permission.

use genclient::kube::core::Status;

/// The refused permission, parsed from the message of `forbiddenMessage`
/// (`k8s.io/apiserver/pkg/endpoints/handlers/responsewriters/errors.go`).
#[derive(Debug, PartialEq)]
struct MissingRight<'a> {
    verb: &'a str,
    resource: &'a str,
    group: &'a str,
    /// `None` at the cluster scope.
    namespace: Option<&'a str>,
}

/// Returns how to grant the missing permission; `None` if the request was refused for another
/// reason.
pub(crate) fn hint(status: &Status) -> Option<String> {
    let refused = MissingRight::read(&status.message).filter(|_| status.code == 403)?;
    let MissingRight {
        verb,
        resource,
        group,
        namespace,
    } = refused;
    let role = match namespace {
        Some(namespace) => format!("a Role in namespace `{namespace}`"),
        None => "a ClusterRole".to_owned(),
    };
    Some(format!(
        "add `#[rbac(group = \"{group}\", resources = [\"{resource}\"], verbs = [\"{verb}\"])]` to the \
         controller and run `genclient update`, or grant it by {role} with the rule \
         {{apiGroups: [\"{group}\"], resources: [\"{resource}\"], verbs: [\"{verb}\"]}}"
    ))
}

impl<'a> MissingRight<'a> {
    /// Parses `.. cannot get resource "pods" in API group "" in the namespace "default"`.
    fn read(message: &'a str) -> Option<Self> {
        let (_, rest) = message.split_once("\" cannot ")?;
        let (verb, rest) = rest.split_once(" resource \"")?;
        let (resource, rest) = rest.split_once("\" in API group \"")?;
        let (group, rest) = rest.split_once('"')?;
        let namespace = rest.strip_prefix(" in the namespace \"");
        Some(Self {
            verb,
            resource,
            group,
            namespace: namespace
                .and_then(|rest| rest.split_once('"'))
                .map(|(namespace, _)| namespace),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hint_of(code: u16, message: &str) -> Option<String> {
        let mut status = Status::failure(message, "Forbidden");
        status.code = code;
        hint(&status)
    }

    #[test]
    fn missing_right_is_read_from_the_answer() {
        let cases = [
            (
                "configmaps \"a\" is forbidden: User \"system:serviceaccount:b:c\" cannot update resource \"configmaps\" in API group \"\" in the namespace \"default\"",
                Some(
                    r#"add `#[rbac(group = "", resources = ["configmaps"], verbs = ["update"])]` to the controller and run `genclient update`, or grant it by a Role in namespace `default` with the rule {apiGroups: [""], resources: ["configmaps"], verbs: ["update"]}"#,
                ),
            ),
            (
                "gputasks.falldio.com \"a\" is forbidden: User \"u\" cannot patch resource \"gputasks/status\" in API group \"falldio.com\" at the cluster scope: RBAC: role not found",
                Some(
                    r#"add `#[rbac(group = "falldio.com", resources = ["gputasks/status"], verbs = ["patch"])]` to the controller and run `genclient update`, or grant it by a ClusterRole with the rule {apiGroups: ["falldio.com"], resources: ["gputasks/status"], verbs: ["patch"]}"#,
                ),
            ),
            ("forbidden: User \"u\" cannot get path \"/metrics\"", None),
            ("pods \"a\" is forbidden: exceeded quota: b", None),
            ("", None),
        ];
        for (message, expected) in cases {
            assert_eq!(hint_of(403, message).as_deref(), expected, "{message}");
            assert_eq!(hint_of(409, message), None, "{message}");
        }
    }
}
