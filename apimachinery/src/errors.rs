//! Errors joined into one message (k8s.io/apimachinery/pkg/util/errors).

use std::collections::HashSet;

/// Returns the message of several errors: each distinct one once, in brackets if there are several
/// (`utilerrors.NewAggregate`, `field.ErrorList.ToAggregate`). `None` if there is no error.
///
/// ```
/// use genclient_apimachinery::errors::aggregate;
///
/// assert_eq!(aggregate::<&str>([]), None);
/// assert_eq!(aggregate(["a", "a"]).as_deref(), Some("a"));
/// assert_eq!(aggregate(["b", "a", "b"]).as_deref(), Some("[b, a]"));
/// ```
pub fn aggregate<E: ToString>(errors: impl IntoIterator<Item = E>) -> Option<String> {
    let mut seen = HashSet::new();
    let mut distinct: Vec<_> = errors.into_iter().map(|error| error.to_string()).collect();
    distinct.retain(|error| seen.insert(error.clone()));
    match &*distinct {
        [] | [_] => distinct.pop(),
        several => Some(format!("[{}]", several.join(", "))),
    }
}
