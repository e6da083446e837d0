//! Status conditions of an object, as in `SetStatusCondition` and related functions of
//! `k8s.io/apimachinery/pkg/api/meta/conditions.go`.
//!
//! ```
//! use genclient::conditions;
//!
//! let mut conditions = Vec::new();
//! let ready = conditions::new("Ready", true, "Applied", "the ConfigMap is up to date");
//! assert!(conditions::set(&mut conditions, ready.clone()));
//! assert!(!conditions::set(&mut conditions, ready), "nothing has changed");
//! assert!(conditions::is_true(&conditions, "Ready"));
//! ```

use k8s_openapi::apimachinery::pkg::apis::meta::v1::{Condition, Time};
use k8s_openapi::jiff::Timestamp;

/// Returns a condition with status `True` or `False`, the current time as `last_transition_time`
/// and no `observed_generation`.
///
/// `reason` is one word in `CamelCase`: the API server rejects an empty reason and one with spaces.
///
/// A controller whose tests set the [clock](crate::clock) replaces the time:
///
/// ```
/// use genclient::conditions;
/// use genclient::prelude::{Condition, Time};
/// # use k8s_openapi::jiff::Timestamp;
///
/// # let now = Timestamp::UNIX_EPOCH;
/// let ready = Condition {
///     last_transition_time: Time(now), // for example, `cx.now()` of a reconcile
///     ..conditions::new("Ready", true, "Applied", "the ConfigMap is up to date")
/// };
/// # assert_eq!(ready.last_transition_time.0, now);
/// ```
pub fn new(type_: &str, status: bool, reason: &str, message: impl Into<String>) -> Condition {
    Condition {
        type_: type_.to_owned(),
        status: if status { "True" } else { "False" }.to_owned(),
        reason: reason.to_owned(),
        message: message.into(),
        observed_generation: None,
        last_transition_time: Time(Timestamp::now()),
    }
}

/// Adds a condition, or updates the existing condition of the same type. Returns whether anything
/// changed.
///
/// `last_transition_time` is the time of the last change of `status`. If an existing condition
/// keeps its status, it keeps this time as well.
pub fn set(conditions: &mut Vec<Condition>, condition: Condition) -> bool {
    let known = conditions.iter_mut().find(|it| it.type_ == condition.type_);
    let Some(known) = known else {
        conditions.push(condition);
        return true;
    };
    let last_transition_time = if known.status == condition.status {
        known.last_transition_time.clone()
    } else {
        condition.last_transition_time.clone()
    };
    let updated = Condition {
        last_transition_time,
        ..condition
    };
    let changed = *known != updated;
    *known = updated;
    changed
}

/// Removes the condition of the given type. Returns whether it existed.
pub fn remove(conditions: &mut Vec<Condition>, type_: &str) -> bool {
    let before = conditions.len();
    conditions.retain(|it| it.type_ != type_);
    conditions.len() < before
}

/// Returns the condition of the given type, or `None`.
pub fn find<'a>(conditions: &'a [Condition], type_: &str) -> Option<&'a Condition> {
    conditions.iter().find(|it| it.type_ == type_)
}

/// Whether the condition of the given type exists and is `True`.
pub fn is_true(conditions: &[Condition], type_: &str) -> bool {
    find(conditions, type_).is_some_and(|it| it.status == "True")
}

/// Whether the condition of the given type exists and is `False`.
pub fn is_false(conditions: &[Condition], type_: &str) -> bool {
    find(conditions, type_).is_some_and(|it| it.status == "False")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unchanged_status_keeps_the_last_transition_time() {
        let mut conditions = Vec::new();
        let mut first = new("Ready", true, "Applied", "one");
        first.last_transition_time = Time(Timestamp::UNIX_EPOCH);
        assert!(set(&mut conditions, first.clone()));

        assert!(set(&mut conditions, new("Ready", true, "Applied", "two")));
        assert_eq!(conditions[0].message, "two");
        assert_eq!(
            conditions[0].last_transition_time,
            first.last_transition_time
        );

        assert!(set(&mut conditions, new("Ready", false, "Failed", "two")));
        assert_ne!(
            conditions[0].last_transition_time,
            first.last_transition_time
        );
        assert!(is_false(&conditions, "Ready") && !is_true(&conditions, "Ready"));
    }

    #[test]
    fn conditions_are_identified_by_type() {
        let mut conditions = vec![new("Ready", true, "Applied", "")];
        assert!(set(&mut conditions, new("Stalled", false, "Applied", "")));
        assert_eq!(conditions.len(), 2);
        assert!(find(&conditions, "Degraded").is_none() && !is_false(&conditions, "Degraded"));
        assert!(remove(&mut conditions, "Ready") && !remove(&mut conditions, "Ready"));
        assert_eq!(conditions[0].type_, "Stalled");
    }
}
