//! [`Checks`]: liveness and readiness checks of a manager.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
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

/// Liveness fails if a leader has not stopped this long after its lease expired.
const MAX_EXPIRED_LEASE: Duration = Duration::from_secs(20);

/// Name of the check that the caches have synced.
const CACHES_CHECK: &str = "caches";
/// Name of the check that fails if a leader does not stop after its lease has expired.
const LEADER_ELECTION_CHECK: &str = "leader-election";
/// Name of the check that fails while this replica could work on objects, but does not.
const SHARDS_CHECK: &str = "shards";

#[derive(Debug)]
pub(super) struct Checks {
    pub(super) healthz: CheckList,
    pub(super) readyz: CheckList,
}

/// Checks by name. Clones share one list.
#[derive(Clone)]
pub(super) struct CheckList {
    /// The names of the manager's own checks, which a check of the program cannot have.
    reserved_names: &'static [&'static str],
    checks: Arc<Mutex<BTreeMap<String, NamedCheck>>>,
}

#[derive(Clone)]
pub(super) struct NamedCheck {
    pub(super) check: Arc<Check>,
    /// Whether the check runs only if a probe requests it by its name.
    pub(super) only_by_name: bool,
}

impl Checks {
    pub(super) fn new() -> Self {
        Self {
            healthz: CheckList::new(&[LEADER_ELECTION_CHECK]),
            readyz: CheckList::new(&[CACHES_CHECK, SHARDS_CHECK]),
        }
    }

    /// Adds the manager's own checks. Readiness fails until the caches have synced. Liveness fails
    /// if a leader does not stop after its lease has expired. `/readyz/shards` tells why a replica
    /// with sharding works on nothing.
    ///
    /// With `serves_conversions`, readiness does not depend on the caches. The caches may need
    /// conversions of this program. The API server requests conversions through a Service, which
    /// sends requests only to ready Pods.
    pub(super) fn add_builtin_checks(
        &self,
        setup: &Setup,
        synced: &CancellationToken,
        elector: Option<&LeaderElector>,
        serves_conversions: bool,
    ) {
        if let Some(sharding) = &setup.sharding {
            let shards = sharding.shards.clone();
            let check = move || {
                let status = shards.status();
                let slots = status.slots;
                if let Some(obstacle) = status.obstacle {
                    return Err(obstacle.into());
                }
                match (status.unread_slots, status.unheld_slots) {
                    (0, 0) => Ok(()),
                    (0, unheld) => Err(format!("{unheld} of {slots} slots have no replica").into()),
                    (unread, _) => {
                        let held = status.held_slots;
                        let text = "slots of this replica are not in its caches yet";
                        Err(format!("{unread} of {held} {text}").into())
                    }
                }
            };
            // By name only: during an update, a replica waits until the replicas of another version
            // have ended, and these end after it is ready.
            self.readyz.insert(SHARDS_CHECK, Box::new(check), true);
        }
        let (setup, synced) = (setup.clone(), synced.clone());
        let caches = move || {
            let clusters = setup.clusters();
            let unsynced: Vec<_> = clusters.iter().flat_map(Cluster::unsynced).collect();
            // After the initial sync, the check always passes: a component that is added later must
            // not make a serving replica unready. `ManagerHandle::add` itself waits for its caches.
            if synced.is_cancelled() || unsynced.is_empty() {
                return Ok(());
            }
            Err(unsynced.join("\n").into())
        };
        self.readyz
            .insert(CACHES_CHECK, Box::new(caches), serves_conversions);
        if let Some(elector) = elector {
            let leadership = elector.leadership();
            let check = move || Ok(leadership.check(MAX_EXPIRED_LEASE)?);
            self.healthz
                .insert(LEADER_ELECTION_CHECK, Box::new(check), false);
        }
        // As in controller-runtime (`serveAggregated` in pkg/healthz), an endpoint without checks
        // has the check `ping`. Only `/healthz` can be without: `/readyz` has `caches` or, if this
        // one runs only by name, the check of the webhook server that serves the conversions.
        if self.healthz.all().is_empty() {
            self.healthz.insert("ping", Box::new(|| Ok(())), false);
        }
    }
}

impl CheckList {
    fn new(reserved_names: &'static [&'static str]) -> Self {
        Self {
            reserved_names,
            checks: Arc::default(),
        }
    }

    /// Adds a check of the program.
    ///
    /// # Errors
    ///
    /// [`SetupError::SameCheck`].
    pub(super) fn add(&self, name: String, check: Check) -> Result<(), SetupError> {
        if self.reserved_names.contains(&&*name) {
            return Err(SetupError::SameCheck(name));
        }
        match self.checks.lock().entry(name) {
            Entry::Occupied(known) => Err(SetupError::SameCheck(known.key().clone())),
            Entry::Vacant(free) => {
                free.insert(NamedCheck {
                    check: Arc::new(check),
                    only_by_name: false,
                });
                Ok(())
            }
        }
    }

    fn insert(&self, name: impl Into<String>, check: Check, only_by_name: bool) {
        let check = NamedCheck {
            check: Arc::new(check),
            only_by_name,
        };
        self.checks.lock().insert(name.into(), check);
    }

    pub(super) fn remove(&self, name: &str) {
        self.checks.lock().remove(name);
    }

    /// Returns the checks, ordered by name.
    pub(super) fn all(&self) -> BTreeMap<String, NamedCheck> {
        self.checks.lock().clone()
    }
}

impl fmt::Debug for CheckList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.all().keys()).finish()
    }
}
