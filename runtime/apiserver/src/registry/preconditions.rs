//! Preconditions of a DELETE: the expected uid and resource version.

use crate::failure::Failure;
use crate::kinds::Kind;
use crate::query::DeleteOptions;
use crate::stored::Stored;

/// Precondition that does not hold, with the expected and the actual value.
struct Mismatch<'a> {
    /// `UID` or `ResourceVersion`.
    what: &'static str,
    expected: &'a str,
    found: String,
}

/// Checks the preconditions for most kinds. The message is that of `BeforeDelete` in
/// k8s.io/apiserver/pkg/registry/rest/delete.go.
pub(super) fn check(kind: &Kind, live: &Stored, options: &DeleteOptions) -> Result<(), Failure> {
    let Some(mismatch) = mismatch(live, options) else {
        return Ok(());
    };
    let Mismatch {
        what,
        expected,
        found,
    } = mismatch;
    let happened = match what {
        "UID" => "deleted and then recreated",
        _ => "modified",
    };
    let reason = format!(
        "the {what} in the precondition ({expected}) does not match the {what} in record \
         ({found}). The object might have been {happened}"
    );
    Err(Failure::conflict(
        kind.group(),
        &kind.kind,
        &live.name,
        &reason,
    ))
}

/// Checks the preconditions for kinds with a DELETE of their own: Namespace and
/// CustomResourceDefinition. Only the message differs from [`check`].
pub(super) fn check_at_own_endpoint(
    kind: &Kind,
    live: &Stored,
    options: &DeleteOptions,
) -> Result<(), Failure> {
    let Some(mismatch) = mismatch(live, options) else {
        return Ok(());
    };
    let Mismatch {
        what,
        expected,
        found,
    } = mismatch;
    let reason = format!(
        "Precondition failed: {what} in precondition: {expected}, {what} in object meta: {found}"
    );
    Err(Failure::conflict(
        kind.group(),
        kind.plural(),
        &live.name,
        &reason,
    ))
}

fn mismatch<'a>(live: &Stored, options: &'a DeleteOptions) -> Option<Mismatch<'a>> {
    let version = live.version().to_string();
    let checks = [
        ("UID", &options.uid, live.uid.clone()),
        ("ResourceVersion", &options.resource_version, version),
    ];
    checks.into_iter().find_map(|(what, expected, found)| {
        let expected = expected.as_deref().filter(|expected| *expected != found)?;
        Some(Mismatch {
            what,
            expected,
            found,
        })
    })
}
