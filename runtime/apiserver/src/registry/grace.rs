//! Deletion timestamps of objects, and grace periods of Pods.

use genclient::k8s_openapi::jiff::{SignedDuration, Timestamp};
use serde_json::Value;

use crate::clock;
use crate::metadata;

/// Effect of a DELETE on the grace period of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Grace {
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
pub(super) fn start_or_shorten(object: &mut Value, asked: Option<i64>, now: Timestamp) -> Grace {
    let asked = asked.map(at_least_one_unless_zero);
    if let Some(until) = timestamp(object) {
        return shorten(object, asked, until, now);
    }
    let period = period(object, asked);
    set(object, later(now, period), period);
    metadata::increment_generation(object);
    Grace::Period(period)
}

/// Shortens the grace period that an earlier DELETE has set. A longer period is ignored.
fn shorten(object: &mut Value, asked: Option<i64>, until: Timestamp, now: Timestamp) -> Grace {
    let had = object["metadata"]["deletionGracePeriodSeconds"].as_i64();
    let Some(had) = had.filter(|had| *had != 0) else {
        return Grace::None;
    };
    let Some(asked) = asked.filter(|asked| *asked < had) else {
        return Grace::Pending;
    };
    let until = later(later(until, -had), asked);
    match until < now {
        // The shorter period has already passed. It is stored as 1, since a Pod with 0 would be
        // removed before the kubelet has stopped it. Only a requested 0 stays 0.
        true => set(object, now, asked.min(1)),
        false => set(object, until, asked),
    }
    Grace::Period(asked)
}

/// Returns the grace period that the first DELETE of a Pod sets (`CheckGracefulDelete` in
/// pkg/registry/core/pod/strategy.go).
fn period(pod: &Value, asked: Option<i64>) -> i64 {
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
pub(super) fn mark(object: &mut Value, now: Timestamp) {
    let until = timestamp(object);
    if until.is_none() {
        metadata::increment_generation(object);
    }
    if until.is_none_or(|until| until > now) {
        metadata::set(object, "deletionTimestamp", Some(clock::text(now).into()));
    }
    metadata::set(object, "deletionGracePeriodSeconds", Some(0.into()));
}

/// Returns the deletion timestamp of an object that is being deleted.
fn timestamp(object: &Value) -> Option<Timestamp> {
    let text = object["metadata"]["deletionTimestamp"].as_str()?;
    text.parse().ok()
}

fn later(at: Timestamp, seconds: i64) -> Timestamp {
    let later = at.checked_add(SignedDuration::from_secs(seconds));
    later.unwrap_or(if seconds < 0 {
        Timestamp::MIN
    } else {
        Timestamp::MAX
    })
}

fn set(object: &mut Value, until: Timestamp, period: i64) {
    metadata::set(object, "deletionTimestamp", Some(clock::text(until).into()));
    metadata::set(object, "deletionGracePeriodSeconds", Some(period.into()));
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
            "deletionTimestamp": clock::text(at(until)),
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
                Grace::Period(30),
                30,
            ),
            (
                pod(scheduled.clone(), "Running"),
                Some(5),
                Grace::Period(5),
                5,
            ),
            (
                pod(scheduled.clone(), "Running"),
                Some(-5),
                Grace::Period(1),
                1,
            ),
            (
                pod(scheduled.clone(), "Running"),
                Some(0),
                Grace::Period(0),
                0,
            ),
            (pod(scheduled, "Failed"), None, Grace::Period(0), 0),
            (pod(unscheduled, "Pending"), Some(10), Grace::Period(0), 0),
            (pod(brief, "Running"), None, Grace::Period(0), 0),
            (deleting(30, 30), None, Grace::Pending, 30),
            (deleting(30, 30), Some(40), Grace::Pending, 30),
            (deleting(29, 30), Some(10), Grace::Period(10), 9),
            (deleting(10, 30), Some(10), Grace::Period(10), 0),
            (deleting(30, 30), Some(0), Grace::Period(0), 0),
            (deleting(-5, 0), Some(0), Grace::None, -5),
        ];
        for (mut object, asked, expected, until) in table {
            let case = format!("{object} {asked:?}");
            assert_eq!(
                start_or_shorten(&mut object, asked, at(0)),
                expected,
                "{case}"
            );
            assert_eq!(timestamp(&object), Some(at(until)), "{case}");
        }
    }
}
