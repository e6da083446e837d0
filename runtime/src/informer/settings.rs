//! Settings of a factory, for all of its informers and for those of one resource.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use super::reachability::Reachability;
use super::status::Patience;
use crate::metrics::Provider;
use crate::reflector::{Options, Selectors};
use crate::scheme::GroupVersionResource;

pub(super) struct FactorySettings {
    /// Sorted and deduplicated; `None` for all namespaces.
    pub(super) namespaces: Option<Vec<String>>,
    pub(super) options: Options,
    pub(super) resync: Duration,
    pub(super) patience: Patience,
    pub(super) reachability: Reachability,
    pub(super) own: BTreeMap<GroupVersionResource, ResourceSettings>,
    /// Name of the factory in metrics, and the metrics provider.
    pub(super) metrics: Option<(String, Arc<dyn Provider>)>,
}

/// Settings for one resource. The resync period overrides that of the factory.
#[derive(Default)]
pub(super) struct ResourceSettings {
    /// Applied in order, after the factory's tweaks.
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
            reachability: Reachability::new(),
            own: BTreeMap::new(),
            metrics: None,
        }
    }
}
