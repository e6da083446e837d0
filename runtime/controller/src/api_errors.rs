//! Inspection of error chains. [`describe_error`] returns the text of an error, with a hint on
//! missing RBAC permissions. Other functions find conflicts, stale caches and statuses of the API
//! server.

use std::error::Error;

use genclient::kube;
use genclient::kube::core::Status;

use crate::client::{ReadError, WriteError};
use crate::error_text::error_chain;

/// Returns the messages of an error and its causes, joined by `: `. Causes below a response of the
/// API server are left out.
pub(crate) fn describe_error(error: &(dyn Error + 'static)) -> String {
    describe_error_with(error, permission_hint)
}

/// [`describe_error`] with another hint on a response.
pub(crate) fn describe_error_with(
    error: &(dyn Error + 'static),
    hint: impl Fn(&Status) -> Option<String>,
) -> String {
    let mut text = String::new();
    for error in error_chain(error) {
        let own = match as_kube_error(error) {
            Some(kube::Error::Api(status)) => match hint(status) {
                Some(hint) => format!("{}; {hint}", status.message),
                None => status.message.clone(),
            },
            _ => error.to_string(),
        };
        // Skips repeated text: many errors include the message of their cause.
        if text.is_empty() {
            text = own;
        } else if !text.contains(&own) {
            text = format!("{text}: {own}");
        }
        if matches!(as_kube_error(error), Some(kube::Error::Api(_))) {
            break;
        }
    }
    text
}

/// Returns the status that the API server answered with, if the error or one of its causes has one.
#[cfg(feature = "webhook")]
pub(crate) fn find_status<'a>(error: &'a (dyn Error + 'static)) -> Option<&'a Status> {
    error_chain(error).find_map(|error| match as_kube_error(error) {
        Some(kube::Error::Api(status)) => Some(&**status),
        _ => None,
    })
}

/// Whether the error or a cause is [`ReadError::Stale`].
pub(super) fn is_stale(error: &(dyn Error + 'static)) -> bool {
    error_chain(error).any(|error| {
        let read = match error.downcast_ref::<WriteError>() {
            Some(WriteError::Read(read)) => Some(read),
            _ => error.downcast_ref::<ReadError>(),
        };
        matches!(read, Some(ReadError::Stale { .. }))
    })
}

/// Whether the error or a cause is a conflict: another client has changed the object since it was
/// read, or another field manager owns a field of an apply.
pub(super) fn is_conflict(error: &(dyn Error + 'static)) -> bool {
    let mut causes = error_chain(error).filter_map(as_kube_error);
    causes.any(|error| matches!(error, kube::Error::Api(status) if status.is_conflict()))
}

/// Returns the error as a [`kube::Error`], unwrapped from a [`WriteError`] if necessary.
fn as_kube_error<'a>(error: &'a (dyn Error + 'static)) -> Option<&'a kube::Error> {
    match error.downcast_ref::<WriteError>() {
        Some(WriteError::Write(written)) => Some(written),
        _ => error.downcast_ref::<kube::Error>(),
    }
}

/// The refused permission, parsed from the message of `forbiddenMessage`
/// (`k8s.io/apiserver/pkg/endpoints/handlers/responsewriters/errors.go`).
#[derive(Debug, PartialEq)]
struct MissingPermission<'a> {
    verb: &'a str,
    resource: &'a str,
    group: &'a str,
    /// `None` at the cluster scope.
    namespace: Option<&'a str>,
}

/// Whether the API server refused a request for a missing permission.
#[cfg(feature = "webhook")]
pub(crate) fn is_missing_permission(status: &Status) -> bool {
    status.code == 403 && MissingPermission::parse(&status.message).is_some()
}

/// Returns how to grant the missing permission, or how to send credentials. Returns `None` if the
/// request was refused for another reason.
fn permission_hint(status: &Status) -> Option<String> {
    if status.code != 403 {
        return None;
    }
    if status.message.contains("User \"system:anonymous\"") {
        let hint = "the request had no credentials; does the context of the kubeconfig name a user \
                    that the kubeconfig has?";
        return Some(hint.to_owned());
    }
    let refused = MissingPermission::parse(&status.message)?;
    let MissingPermission {
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
         controller and run `genclient update`, or grant the permission through {role} with the rule \
         {{apiGroups: [\"{group}\"], resources: [\"{resource}\"], verbs: [\"{verb}\"]}}"
    ))
}

impl<'a> MissingPermission<'a> {
    /// Parses `.. cannot get resource "pods" in API group "" in the namespace "default"`.
    fn parse(message: &'a str) -> Option<Self> {
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

    #[derive(Debug, thiserror::Error)]
    enum Wrapped {
        #[error("cannot write")]
        Hides(#[source] Box<dyn Error + Send + Sync>),
        #[error("cannot write: {0}")]
        Shows(#[source] Box<dyn Error + Send + Sync>),
    }

    fn refused(reason: &str) -> kube::Error {
        let mut status = Status::failure("told to", reason);
        status.code = 409;
        kube::Error::Api(Box::new(status))
    }

    #[test]
    fn missing_permission_is_described_with_the_granting_rule() {
        let message = "pods is forbidden: User \"u\" cannot list resource \"pods\" in API group \"\" in the namespace \"a\"";
        let mut status = Status::failure(message, "Forbidden");
        status.code = 403;
        let error = Wrapped::Hides(kube::Error::Api(Box::new(status)).into());
        let expected = format!(
            "cannot write: {message}; add `#[rbac(group = \"\", resources = [\"pods\"], verbs = [\"list\"])]` \
             to the controller and run `genclient update`, or grant the permission through a Role in namespace `a` with the rule \
             {{apiGroups: [\"\"], resources: [\"pods\"], verbs: [\"list\"]}}"
        );
        assert_eq!(describe_error(&error), expected);
    }

    #[test]
    fn conflicts_are_found_in_wrapped_errors() {
        let hides = |error: kube::Error| Wrapped::Hides(error.into());
        let cases: [(Box<dyn Error>, bool, &str); 6] = [
            (refused("Conflict").into(), true, "told to"),
            (refused("AlreadyExists").into(), false, "told to"),
            (
                WriteError::Write(refused("Conflict")).into(),
                true,
                "told to",
            ),
            (
                hides(refused("Conflict")).into(),
                true,
                "cannot write: told to",
            ),
            (
                hides(refused("AlreadyExists")).into(),
                false,
                "cannot write: told to",
            ),
            (
                Wrapped::Shows(Box::new(hides(refused("Conflict")))).into(),
                true,
                "cannot write: cannot write: told to",
            ),
        ];
        for (error, expected, text) in cases {
            assert_eq!(is_conflict(&*error), expected, "{error:?}");
            assert_eq!(describe_error(&*error), text, "{error:?}");
        }
    }

    fn hint_of(code: u16, message: &str) -> Option<String> {
        let mut status = Status::failure(message, "Forbidden");
        status.code = code;
        permission_hint(&status)
    }

    #[test]
    fn missing_permission_is_parsed_from_the_status_message() {
        let cases = [
            (
                "configmaps \"a\" is forbidden: User \"system:serviceaccount:b:c\" cannot update resource \"configmaps\" in API group \"\" in the namespace \"default\"",
                Some(
                    r#"add `#[rbac(group = "", resources = ["configmaps"], verbs = ["update"])]` to the controller and run `genclient update`, or grant the permission through a Role in namespace `default` with the rule {apiGroups: [""], resources: ["configmaps"], verbs: ["update"]}"#,
                ),
            ),
            (
                "gputasks.falldio.com \"a\" is forbidden: User \"u\" cannot patch resource \"gputasks/status\" in API group \"falldio.com\" at the cluster scope: RBAC: role not found",
                Some(
                    r#"add `#[rbac(group = "falldio.com", resources = ["gputasks/status"], verbs = ["patch"])]` to the controller and run `genclient update`, or grant the permission through a ClusterRole with the rule {apiGroups: ["falldio.com"], resources: ["gputasks/status"], verbs: ["patch"]}"#,
                ),
            ),
            (
                "pods is forbidden: User \"system:anonymous\" cannot list resource \"pods\" in API group \"\" at the cluster scope",
                Some(
                    "the request had no credentials; does the context of the kubeconfig name a user that the kubeconfig has?",
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
