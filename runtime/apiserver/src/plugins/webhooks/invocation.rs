//! [`Invocation`]: a write in the version of the kind that a webhook receives.

use genclient::kube::core::{GroupVersionKind, GroupVersionResource};
use serde_json::Value;

/// Write in the version of the kind that a webhook receives.
#[derive(Clone, Debug)]
pub(super) struct Invocation {
    pub(super) kind: GroupVersionKind,
    pub(super) resource: GroupVersionResource,
    /// New state in that version.
    pub(super) object: Option<Value>,
    pub(super) old_object: Option<Value>,
}
