//! [`Checks`]: whether the program is alive, and whether it is ready.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use genclient::leaderelection::LeaderElector;

use crate::cluster::Cluster;
use crate::component::Check;

/// How long after the end of its lease a leader that has not stopped counts as alive.
const EXPIRED_LEASE: Duration = Duration::from_secs(20);

/// The checks of a manager, by name.
#[derive(Default)]
pub(super) struct Checks {
    pub(super) healthz: BTreeMap<String, Check>,
    pub(super) readyz: BTreeMap<String, Check>,
}

impl Checks {
    /// Adds the manager's own checks: caches that are not filled are not ready, and a leader that
    /// has lost its lease and has not stopped is not alive.
    pub(super) fn watch(&mut self, clusters: &[Cluster], elector: Option<&LeaderElector>) {
        let clusters = clusters.to_vec();
        let caches = move || {
            let unsynced: Vec<_> = clusters.iter().flat_map(Cluster::unsynced).collect();
            if unsynced.is_empty() {
                return Ok(());
            }
            Err(unsynced.join("\n").into())
        };
        self.readyz.insert("caches".to_owned(), Box::new(caches));
        if let Some(elector) = elector {
            let leadership = elector.leadership();
            let check = move || Ok(leadership.check(EXPIRED_LEASE)?);
            self.healthz
                .insert("leader-election".to_owned(), Box::new(check));
        }
        // As controller-runtime has, so that there is always one.
        for checks in [&mut self.healthz, &mut self.readyz] {
            if checks.is_empty() {
                checks.insert("ping".to_owned(), Box::new(|| Ok(())));
            }
        }
    }
}

impl fmt::Debug for Checks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Checks")
            .field("healthz", &self.healthz.keys())
            .field("readyz", &self.readyz.keys())
            .finish()
    }
}
