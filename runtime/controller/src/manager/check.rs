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
use crate::error::SetupError;
use crate::setup::Setup;

/// How long after the end of its lease a leader that has not stopped counts as alive.
const EXPIRED_LEASE: Duration = Duration::from_secs(20);

/// The check of whether the caches are filled.
const CACHES: &str = "caches";
/// The check of whether a leader that has lost its lease has stopped.
const LEADER_ELECTION: &str = "leader-election";

/// The checks of a manager, by name.
#[derive(Debug)]
pub(super) struct Checks {
    pub(super) healthz: CheckList,
    pub(super) readyz: CheckList,
}

/// Checks by name. A handle: clones are the same list.
#[derive(Clone)]
pub(super) struct CheckList {
    /// The name of the manager's own check.
    own: &'static str,
    checks: Arc<Mutex<BTreeMap<String, NamedCheck>>>,
}

#[derive(Clone)]
pub(super) struct NamedCheck {
    pub(super) check: Arc<Check>,
    /// Whether it is asked by its name alone, and not with the others.
    pub(super) is_apart: bool,
}

impl Checks {
    /// No checks yet.
    pub(super) fn new() -> Self {
        Self {
            healthz: CheckList::new(LEADER_ELECTION),
            readyz: CheckList::new(CACHES),
        }
    }

    /// Adds the manager's own checks: caches that are not filled are not ready, and a leader that
    /// has lost its lease and has not stopped is not alive.
    ///
    /// With `serves_caches`, the caches are no part of the readiness: they may need a Service, and
    /// that sends requests only to Pods that are ready.
    pub(super) fn watch(
        &self,
        setup: &Setup,
        synced: &CancellationToken,
        elector: Option<&LeaderElector>,
        serves_caches: bool,
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
        self.readyz.insert(CACHES, Box::new(caches), serves_caches);
        if let Some(elector) = elector {
            let leadership = elector.leadership();
            let check = move || Ok(leadership.check(EXPIRED_LEASE)?);
            self.healthz.insert(LEADER_ELECTION, Box::new(check), false);
        }
        // As controller-runtime has, so that there is always one.
        for checks in [&self.healthz, &self.readyz] {
            if checks.all().values().all(|check| check.is_apart) {
                checks.insert("ping", Box::new(|| Ok(())), false);
            }
        }
    }
}

impl CheckList {
    fn new(own: &'static str) -> Self {
        Self {
            own,
            checks: Arc::default(),
        }
    }

    /// Adds a check of the program.
    ///
    /// # Errors
    ///
    /// [`SetupError::SameCheck`].
    pub(super) fn add(&self, name: String, check: Check) -> Result<(), SetupError> {
        if name == self.own || self.checks.lock().contains_key(&name) {
            return Err(SetupError::SameCheck(name));
        }
        self.insert(name, check, false);
        Ok(())
    }

    fn insert(&self, name: impl Into<String>, check: Check, is_apart: bool) {
        let check = NamedCheck {
            check: Arc::new(check),
            is_apart,
        };
        self.checks.lock().insert(name.into(), check);
    }

    pub(super) fn remove(&self, name: &str) {
        self.checks.lock().remove(name);
    }

    /// The checks in the order of their names.
    pub(super) fn all(&self) -> BTreeMap<String, NamedCheck> {
        self.checks.lock().clone()
    }
}

impl fmt::Debug for CheckList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.all().keys()).finish()
    }
}
