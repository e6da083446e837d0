//! Settings of a factory, for all of its informers and for single resources.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use super::status::Patience;
use crate::metrics::Provider;
use crate::reflector::{Options, Selectors};
use crate::scheme::GroupVersionResource;

/// Settings of every informer of a factory.
pub(super) struct FactorySettings {
    /// Sorted and deduplicated; `None` for all namespaces.
    pub(super) namespaces: Option<Vec<String>>,
    pub(super) options: Options,
    pub(super) resync: Duration,
    pub(super) patience: Patience,
    /// Settings of the informers of single resources.
    pub(super) own: BTreeMap<GroupVersionResource, Own>,
    /// The name of the factory in its metrics, and their provider.
    pub(super) metrics: Option<(String, Arc<dyn Provider>)>,
}

/// Settings of the informer of one resource, which override or extend those of the factory.
#[derive(Default)]
pub(super) struct Own {
    /// Applied in order, after those of the factory.
    pub(super) tweaks: Vec<Tweak>,
    pub(super) resync: Option<Duration>,
}

pub(super) type Tweak = Arc<dyn Fn(&mut Selectors) + Send + Sync>;

impl Default for FactorySettings {
    fn default() -> Self {
        Self {
            namespaces: None,
            options: Options::default(),
            resync: Duration::ZERO,
            patience: Patience {
                grace: Duration::from_secs(10),
                timeout: None,
            },
            own: BTreeMap::new(),
            metrics: None,
        }
    }
}
