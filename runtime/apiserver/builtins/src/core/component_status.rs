//! ComponentStatuses. Unlike kube-apiserver, this server validates them by their published schema
//! alone.

use crate::strategy::Strategy;

/// Strategy of ComponentStatuses.
#[derive(Debug)]
pub(crate) struct ComponentStatusStrategy;

impl Strategy for ComponentStatusStrategy {
    fn deprecation(&self) -> Option<&'static str> {
        Some("v1 ComponentStatus is deprecated in v1.19+")
    }
}
