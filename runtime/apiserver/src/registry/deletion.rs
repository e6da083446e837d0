//! Deletion of an object: preconditions, grace periods and finalizers, which decide whether a
//! DELETE marks the object with a deletion timestamp or removes it.

use genclient::k8s_openapi::jiff::{SignedDuration, Timestamp};
use genclient_builtins::strategy::DeletionRule;
use serde_json::Value;

use crate::clock;
use crate::conditions::{self, Condition};
use crate::finalizers::{self, CLEANUP_FINALIZER};
use crate::kinds::Kind;
use crate::metadata;
use crate::query::{DeleteOptions, Propagation};
use crate::status_error::StatusError;
use crate::stored::Stored;

/// Names of namespaces that cannot be deleted.
const IMMORTAL: &[&str] = &["default", "kube-system", "kube-public"];

/// Rejects the deletion of a namespace that every cluster has.
pub(super) fn check_immortal(kind: &Kind, name: &str) -> Result<(), StatusError> {
    if kind.deletion_rule() == DeletionRule::Namespace && IMMORTAL.contains(&name) {
        let reason = "this namespace may not be deleted";
        return Err(StatusError::forbidden("", "namespaces", name, reason));
    }
    Ok(())
}

/// Effect of a DELETE on one object in the store.
pub(super) enum Deletion<O> {
    /// Changes nothing and skips admission, since the object is being deleted already.
    Wait,
    /// Stores the object with its deletion timestamp, unless the stored object is already the same.
    Mark(O),
    /// Removes the object.
    Remove,
    /// Marks the object and then removes it, since its grace period is zero.
    MarkAndRemove(O),
}

impl Deletion<Value> {
    /// Returns the `DeleteOptions` for admission plug-ins. If the kind has grace periods,
    /// `gracePeriodSeconds` is the period that the deletion sets (`CheckGracefulDelete`).
    pub fn options(&self, kind: &Kind, sent: &Value) -> Value {
        let mut options = sent.clone();
        if let Self::Mark(marked) | Self::MarkAndRemove(marked) = self
            && kind.flags.graceful
            && let Some(period) = marked["metadata"].get("deletionGracePeriodSeconds")
        {
            options["gracePeriodSeconds"] = period.clone();
        }
        options
    }

    /// Returns the states of the object on which admission runs: for each write to the store, the
    /// state before that write. For `MarkAndRemove`, a dry run skips the second write.
    pub fn admitted<'a>(&'a self, live: &'a Value, is_dry_run: bool) -> Vec<&'a Value> {
        match self {
            Self::Wait => Vec::new(),
            Self::MarkAndRemove(marked) if !is_dry_run => vec![live, marked],
            Self::Mark(_) | Self::Remove | Self::MarkAndRemove(_) => vec![live],
        }
    }
}

/// Returns what a DELETE of one object does, with the rules of Namespace and
/// CustomResourceDefinition.
pub(super) fn begin_deletion(
    kind: &Kind,
    live: &Stored,
    object: Value,
    options: &DeleteOptions,
    now: Timestamp,
) -> Result<Deletion<Value>, StatusError> {
    let rule = kind.deletion_rule();
    if rule == DeletionRule::Generic {
        return begin_generic_deletion(kind, live, object, options, now);
    }
    check_preconditions_at_own_endpoint(kind, live, options)?;
    if live.is_deleting {
        return if kind.delays_deletion(&object) {
            Ok(Deletion::Wait)
        } else {
            begin_generic_deletion(kind, live, object, options, now)
        };
    }
    Ok(Deletion::Mark(if rule == DeletionRule::Namespace {
        terminating_namespace(object, options, now)
    } else {
        terminating_definition(object, now)
    }))
}

/// Returns what a DELETE of an object without such rules does (`Store.Delete` in
/// k8s.io/apiserver/pkg/registry/generic/registry/store.go).
pub(super) fn begin_generic_deletion(
    kind: &Kind,
    live: &Stored,
    mut object: Value,
    options: &DeleteOptions,
    now: Timestamp,
) -> Result<Deletion<Value>, StatusError> {
    check_preconditions(kind, live, options)?;
    let grace = if kind.flags.graceful {
        before_delete(&mut object, options.grace_period, now)
    } else {
        GracefulDeletion::None
    };
    if grace == GracefulDeletion::Pending {
        return Ok(Deletion::Wait);
    }
    let finalizers = finalizers::after_deletion(kind, &object, options);
    let has_finalizers = !finalizers.is_empty();
    finalizers::set_finalizers(&mut object, finalizers);
    if grace == GracefulDeletion::None && has_finalizers {
        mark_as_deleting(&mut object, now);
    }
    Ok(match grace {
        GracefulDeletion::Period(0) if !has_finalizers => Deletion::MarkAndRemove(object),
        GracefulDeletion::None if !has_finalizers => Deletion::Remove,
        _ => Deletion::Mark(object),
    })
}

/// Returns a namespace as its first DELETE stores it (pkg/registry/core/namespace/storage).
fn terminating_namespace(mut namespace: Value, options: &DeleteOptions, now: Timestamp) -> Value {
    metadata::set_field(
        &mut namespace,
        "deletionTimestamp",
        Some(clock::format_time(now).into()),
    );
    namespace["status"]["phase"] = "Terminating".into();
    // For a namespace, `orphanDependents: false` means foreground deletion.
    let propagation = if options.is_not_orphaning {
        Some(Propagation::Foreground)
    } else {
        options.propagation
    };
    let finalizers = finalizers::with_propagation(&namespace, propagation, None);
    finalizers::set_finalizers(&mut namespace, finalizers);
    namespace
}

/// Returns a CustomResourceDefinition as its first DELETE stores it
/// (k8s.io/apiextensions-apiserver/pkg/registry/customresourcedefinition/etcd.go).
fn terminating_definition(mut definition: Value, now: Timestamp) -> Value {
    let now = clock::format_time(now);
    metadata::set_field(
        &mut definition,
        "deletionTimestamp",
        Some(now.clone().into()),
    );
    finalizers::add_finalizer(&mut definition, CLEANUP_FINALIZER);
    conditions::set_condition(
        &mut definition,
        &now,
        Condition {
            type_: "Terminating",
            status: true,
            reason: "InstanceDeletionPending",
            message: concat!(
                "CustomResourceDefinition marked for deletion; ",
                "CustomResource deletion will begin soon"
            ),
        },
    );
    definition
}

/// Returns whether an object must be removed instead of stored: it has a deletion timestamp, and
/// neither finalizers nor a grace period delay its deletion.
pub(super) fn should_delete_during_update(kind: &Kind, object: &Value) -> bool {
    let grace = object["metadata"]["deletionGracePeriodSeconds"].as_i64();
    object["metadata"]["deletionTimestamp"].is_string()
        && metadata::finalizers(object).is_empty()
        && grace.unwrap_or_default() == 0
        && !kind.delays_deletion(object)
}

/// Effect of a DELETE on the grace period of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum GracefulDeletion {
    /// The kind has no grace periods, or the grace period of the object is 0 already.
    None,
    /// The object is being deleted already, and this DELETE does not shorten its grace period.
    Pending,
    /// The DELETE requests this grace period, in seconds.
    Period(i64),
}

/// Sets the deletion timestamp and grace period of a Pod, or shortens the period that an earlier
/// DELETE has set (`BeforeDelete` in k8s.io/apiserver/pkg/registry/rest/delete.go). `asked` is the
/// period in the delete options.
fn before_delete(object: &mut Value, asked: Option<i64>, now: Timestamp) -> GracefulDeletion {
    let asked = asked.map(at_least_one_unless_zero);
    if let Some(until) = deletion_timestamp(object) {
        return shorten(object, asked, until, now);
    }
    let period = grace_period(object, asked);
    set_deletion(object, add_seconds(now, period), period);
    metadata::increment_generation(object);
    GracefulDeletion::Period(period)
}

/// Shortens the grace period that an earlier DELETE has set. A longer period is ignored.
fn shorten(
    object: &mut Value,
    asked: Option<i64>,
    until: Timestamp,
    now: Timestamp,
) -> GracefulDeletion {
    let had = object["metadata"]["deletionGracePeriodSeconds"].as_i64();
    let Some(had) = had.filter(|had| *had != 0) else {
        return GracefulDeletion::None;
    };
    let Some(asked) = asked.filter(|asked| *asked < had) else {
        return GracefulDeletion::Pending;
    };
    let until = add_seconds(add_seconds(until, -had), asked);
    if until < now {
        // The shorter period has already passed. It is stored as 1, since a Pod with 0 would be
        // removed before the kubelet has stopped it. Only a requested 0 stays 0.
        set_deletion(object, now, asked.min(1));
    } else {
        set_deletion(object, until, asked);
    }
    GracefulDeletion::Period(asked)
}

/// Returns the grace period that the first DELETE of a Pod sets (`CheckGracefulDelete` in
/// pkg/registry/core/pod/strategy.go).
fn grace_period(pod: &Value, asked: Option<i64>) -> i64 {
    let is_scheduled = pod["spec"]["nodeName"]
        .as_str()
        .is_some_and(|node| !node.is_empty());
    let is_over = matches!(
        pod["status"]["phase"].as_str(),
        Some("Failed" | "Succeeded")
    );
    if !is_scheduled || is_over {
        return 0;
    }
    let default = pod["spec"]["terminationGracePeriodSeconds"].as_i64();
    at_least_one_unless_zero(asked.or(default).unwrap_or_default())
}

fn at_least_one_unless_zero(seconds: i64) -> i64 {
    if seconds < 0 { 1 } else { seconds }
}

/// Marks an object as being deleted, with a grace period of 0 (`markAsDeleting`).
fn mark_as_deleting(object: &mut Value, now: Timestamp) {
    let until = deletion_timestamp(object);
    if until.is_none() {
        metadata::increment_generation(object);
    }
    if until.is_none_or(|until| until > now) {
        metadata::set_field(
            object,
            "deletionTimestamp",
            Some(clock::format_time(now).into()),
        );
    }
    metadata::set_field(object, "deletionGracePeriodSeconds", Some(0.into()));
}

/// Returns the deletion timestamp of an object that is being deleted.
fn deletion_timestamp(object: &Value) -> Option<Timestamp> {
    let text = object["metadata"]["deletionTimestamp"].as_str()?;
    text.parse().ok()
}

fn add_seconds(at: Timestamp, seconds: i64) -> Timestamp {
    let later = at.checked_add(SignedDuration::from_secs(seconds));
    later.unwrap_or(if seconds < 0 {
        Timestamp::MIN
    } else {
        Timestamp::MAX
    })
}

fn set_deletion(object: &mut Value, until: Timestamp, period: i64) {
    metadata::set_field(
        object,
        "deletionTimestamp",
        Some(clock::format_time(until).into()),
    );
    metadata::set_field(object, "deletionGracePeriodSeconds", Some(period.into()));
}

/// Precondition that does not hold, with the expected and the actual value.
struct Mismatch<'a> {
    /// `UID` or `ResourceVersion`.
    what: &'static str,
    expected: &'a str,
    found: String,
}

/// Checks the preconditions for most kinds. The message is that of `BeforeDelete` in
/// k8s.io/apiserver/pkg/registry/rest/delete.go.
pub(super) fn check_preconditions(
    kind: &Kind,
    live: &Stored,
    options: &DeleteOptions,
) -> Result<(), StatusError> {
    let Some(mismatch) = find_mismatch(live, options) else {
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
    Err(StatusError::conflict(
        kind.group(),
        &kind.kind,
        &live.name,
        &reason,
    ))
}

/// Checks the preconditions for kinds with a DELETE of their own: Namespace and
/// CustomResourceDefinition. Only the message differs from [`check_preconditions`].
fn check_preconditions_at_own_endpoint(
    kind: &Kind,
    live: &Stored,
    options: &DeleteOptions,
) -> Result<(), StatusError> {
    let Some(mismatch) = find_mismatch(live, options) else {
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
    Err(StatusError::conflict(
        kind.group(),
        kind.plural(),
        &live.name,
        &reason,
    ))
}

fn find_mismatch<'a>(live: &Stored, options: &'a DeleteOptions) -> Option<Mismatch<'a>> {
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

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(1_800_000_000 + second).unwrap()
    }

    fn deleting(until: i64, period: i64) -> Value {
        json!({ "metadata": {
            "deletionTimestamp": clock::format_time(at(until)),
            "deletionGracePeriodSeconds": period,
        } })
    }

    /// Columns: object, requested seconds, result, seconds until the deletion timestamp.
    #[test]
    fn grace_periods_match_kube_apiserver() {
        let pod = |spec: Value, phase: &str| json!({ "spec": spec, "status": { "phase": phase } });
        let scheduled = json!({ "nodeName": "n", "terminationGracePeriodSeconds": 30 });
        let unscheduled = json!({ "terminationGracePeriodSeconds": 30 });
        let brief = json!({ "nodeName": "n", "terminationGracePeriodSeconds": 0 });
        let table = [
            (
                pod(scheduled.clone(), "Running"),
                None,
                GracefulDeletion::Period(30),
                30,
            ),
            (
                pod(scheduled.clone(), "Running"),
                Some(5),
                GracefulDeletion::Period(5),
                5,
            ),
            (
                pod(scheduled.clone(), "Running"),
                Some(-5),
                GracefulDeletion::Period(1),
                1,
            ),
            (
                pod(scheduled.clone(), "Running"),
                Some(0),
                GracefulDeletion::Period(0),
                0,
            ),
            (
                pod(scheduled, "Failed"),
                None,
                GracefulDeletion::Period(0),
                0,
            ),
            (
                pod(unscheduled, "Pending"),
                Some(10),
                GracefulDeletion::Period(0),
                0,
            ),
            (pod(brief, "Running"), None, GracefulDeletion::Period(0), 0),
            (deleting(30, 30), None, GracefulDeletion::Pending, 30),
            (deleting(30, 30), Some(40), GracefulDeletion::Pending, 30),
            (deleting(29, 30), Some(10), GracefulDeletion::Period(10), 9),
            (deleting(10, 30), Some(10), GracefulDeletion::Period(10), 0),
            (deleting(30, 30), Some(0), GracefulDeletion::Period(0), 0),
            (deleting(-5, 0), Some(0), GracefulDeletion::None, -5),
        ];
        for (mut object, asked, expected, until) in table {
            let case = format!("{object} {asked:?}");
            assert_eq!(before_delete(&mut object, asked, at(0)), expected, "{case}");
            assert_eq!(deletion_timestamp(&object), Some(at(until)), "{case}");
        }
    }
}
