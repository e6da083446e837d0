//! Metrics of a leader election.

use std::sync::Arc;

use crate::metrics::{
    Counter, Gauge, LEADER_ELECTION_MASTER_STATUS, LEADER_ELECTION_SLOWPATH, Provider,
};

pub(super) struct ElectionMetrics {
    status: Arc<dyn Gauge>,
    slowpath: Arc<dyn Counter>,
}

impl ElectionMetrics {
    pub(super) fn new(provider: &dyn Provider, name: &str) -> Self {
        let status = provider.gauge(&LEADER_ELECTION_MASTER_STATUS, &[name]);
        status.set(0.0);
        Self {
            status,
            slowpath: provider.counter(&LEADER_ELECTION_SLOWPATH, &[name]),
        }
    }

    pub(super) fn leader_on(&self) {
        self.status.set(1.0);
    }

    pub(super) fn leader_off(&self) {
        self.status.set(0.0);
    }

    /// Counts a renewal for which the lease had to be read first.
    pub(super) fn slowpath_exercised(&self) {
        self.slowpath.inc();
    }
}
