//! [`Plan`]: the fixed settings of an informer.

use std::sync::Arc;

use kube::{Client, Resource};

use crate::metrics::Provider;
use crate::reflector::{Options, Outage};

/// The client, the kind, the namespaces and the options of the reflectors of an informer.
pub(super) struct Plan<K: Resource> {
    pub(super) client: Client,
    pub(super) types: K::DynamicType,
    /// One reflector each; `None` is all namespaces.
    pub(super) namespaces: Vec<Option<String>>,
    pub(super) options: Options,
    /// The outage state that the informers of the factory share.
    pub(super) outage: Arc<Outage>,
    /// The name of the factory in its metrics, and their provider.
    pub(super) metrics: Option<(String, Arc<dyn Provider>)>,
}
