//! [`Invocation`]: a write as a webhook is shown it.

use genclient::kube::core::{GroupVersionKind, GroupVersionResource};
use serde_json::Value;

/// The version of the kind that a webhook is shown.
#[derive(Clone, Debug)]
pub(super) struct Invocation {
    pub(super) kind: GroupVersionKind,
    pub(super) resource: GroupVersionResource,
    /// The state that the webhook is shown, of the kind above.
    pub(super) object: Option<Value>,
    pub(super) old_object: Option<Value>,
}
