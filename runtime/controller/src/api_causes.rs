//! Error causes: description of a chain, and detection of conflicts, stale caches and API statuses.

use std::error::Error;

use genclient::kube;
use genclient::kube::core::Status;

use crate::causes::causes;
use crate::client::{ReadError, WriteError};
use crate::missing_right;

/// Returns the messages of an error and its causes, each once and joined by `: `. The chain ends at
/// the first answer of the API server.
pub(crate) fn described(error: &(dyn Error + 'static)) -> String {
    let mut text = String::new();
    for error in causes(error) {
        let own = match written(error) {
            Some(kube::Error::Api(status)) => answer(status),
            _ => error.to_string(),
        };
        // Many errors repeat the message of their cause.
        if text.is_empty() {
            text = own;
        } else if !text.contains(&own) {
            text = format!("{text}: {own}");
        }
        if matches!(written(error), Some(kube::Error::Api(_))) {
            break;
        }
    }
    text
}

/// Returns the status that the API server answered with, if it is one of the causes.
#[cfg(feature = "webhook")]
pub(crate) fn answered<'a>(error: &'a (dyn Error + 'static)) -> Option<&'a Status> {
    causes(error).find_map(|error| match written(error) {
        Some(kube::Error::Api(status)) => Some(&**status),
        _ => None,
    })
}

/// Returns the message of a status, with a hint if a permission is missing.
fn answer(status: &Status) -> String {
    match missing_right::hint(status) {
        Some(hint) => format!("{}; {hint}", status.message),
        None => status.message.clone(),
    }
}

/// Whether a cause is a cache that does not show a write of this program yet.
pub(super) fn is_stale(error: &(dyn Error + 'static)) -> bool {
    causes(error).any(|error| {
        let read = match error.downcast_ref::<WriteError>() {
            Some(WriteError::Read(read)) => Some(read),
            _ => error.downcast_ref::<ReadError>(),
        };
        matches!(read, Some(ReadError::Stale { .. }))
    })
}

/// Whether a cause is a conflict: another client has written the object, so it is read again and
/// the reconcile retried.
pub(super) fn is_conflict(error: &(dyn Error + 'static)) -> bool {
    let mut causes = causes(error).filter_map(written);
    causes.any(|error| matches!(error, kube::Error::Api(status) if status.is_conflict()))
}

/// Returns the error of a write, also if a [`WriteError`] wraps it.
fn written<'a>(error: &'a (dyn Error + 'static)) -> Option<&'a kube::Error> {
    match error.downcast_ref::<WriteError>() {
        Some(WriteError::Write(written)) => Some(written),
        _ => error.downcast_ref::<kube::Error>(),
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
    fn missing_right_is_said_with_the_rule_that_grants_it() {
        let message = "pods is forbidden: User \"u\" cannot list resource \"pods\" in API group \"\" in the namespace \"a\"";
        let mut status = Status::failure(message, "Forbidden");
        status.code = 403;
        let error = Wrapped::Hides(kube::Error::Api(Box::new(status)).into());
        let expected = format!(
            "cannot write: {message}; add `#[rbac(group = \"\", resources = [\"pods\"], verbs = [\"list\"])]` \
             to the controller and run `genclient update`, or grant it by a Role in namespace `a` with the rule \
             {{apiGroups: [\"\"], resources: [\"pods\"], verbs: [\"list\"]}}"
        );
        assert_eq!(described(&error), expected);
    }

    #[test]
    fn conflicts_are_found_behind_other_errors() {
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
            assert_eq!(described(&*error), text, "{error:?}");
        }
    }
}
