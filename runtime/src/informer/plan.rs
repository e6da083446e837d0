//! What an informer mirrors, and how.

use std::sync::Arc;

use kube::{Client, Resource};

use crate::metrics::Provider;
use crate::reflector::{Options, Outage};

/// What an informer mirrors, and how. Fixed when the informer is made.
pub(super) struct Plan<K: Resource> {
    pub(super) client: Client,
    pub(super) types: K::DynamicType,
    /// One reflector each; `None` is everything.
    pub(super) namespaces: Vec<Option<String>>,
    pub(super) options: Options,
    /// Of the factory.
    pub(super) outage: Arc<Outage>,
    /// The name of the factory in its metrics, and where they go.
    pub(super) metrics: Option<(String, Arc<dyn Provider>)>,
}
