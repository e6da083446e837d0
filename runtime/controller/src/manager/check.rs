//! [`Checks`]: whether the program is alive, and whether it is ready.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use genclient::leaderelection::LeaderElector;
use parking_lot::Mutex;
use tokio_util::sync::CancellationToken;

use crate::cluster::Cluster;
use crate::component::Check;
use crate::setup::Setup;

/// How long after the end of its lease a leader that has not stopped counts as alive.
const EXPIRED_LEASE: Duration = Duration::from_secs(20);

/// The checks of a manager, by name.
#[derive(Debug, Default)]
pub(super) struct Checks {
    pub(super) healthz: CheckList,
    pub(super) readyz: CheckList,
}

/// Checks by name. A handle: clones are the same list.
#[derive(Clone, Default)]
pub(super) struct CheckList(Arc<Mutex<BTreeMap<String, Arc<Check>>>>);

impl Checks {
    /// Adds the manager's own checks: caches that are not filled are not ready, and a leader that
    /// has lost its lease and has not stopped is not alive.
    pub(super) fn watch(
        &mut self,
        setup: &Setup,
        synced: &CancellationToken,
        elector: Option<&LeaderElector>,
    ) {
        let (setup, synced) = (setup.clone(), synced.clone());
        let caches = move || {
            let clusters = setup.clusters();
            let unsynced: Vec<_> = clusters.iter().flat_map(Cluster::unsynced).collect();
            // Caches of what is added later are waited for where it is added.
            if synced.is_cancelled() || unsynced.is_empty() {
                return Ok(());
            }
            Err(unsynced.join("\n").into())
        };
        self.readyz.insert("caches", Box::new(caches));
        if let Some(elector) = elector {
            let leadership = elector.leadership();
            let check = move || Ok(leadership.check(EXPIRED_LEASE)?);
            self.healthz.insert("leader-election", Box::new(check));
        }
        // As controller-runtime has, so that there is always one.
        for checks in [&self.healthz, &self.readyz] {
            if checks.all().is_empty() {
                checks.insert("ping", Box::new(|| Ok(())));
            }
        }
    }
}

impl CheckList {
    pub(super) fn insert(&self, name: impl Into<String>, check: Check) {
        self.0.lock().insert(name.into(), Arc::new(check));
    }

    pub(super) fn remove(&self, name: &str) {
        self.0.lock().remove(name);
    }

    /// The checks in the order of their names.
    pub(super) fn all(&self) -> BTreeMap<String, Arc<Check>> {
        self.0.lock().clone()
    }
}

impl fmt::Debug for CheckList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.all().keys()).finish()
    }
}
