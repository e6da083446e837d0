//! Leader election settings: [`LeaderElectorBuilder`].

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use parking_lot::Mutex;

use super::candidate::{Candidate, OnNewLeader};
use super::config::{LeaderElectionConfigError, Timing, check_lease};
use super::elector::LeaderElector;
use super::lock::LeaseLock;
use super::metrics::ElectionMetrics;
use crate::metrics::{NoMetrics, Provider};
use crate::time::FOR_EVER;

/// Settings of a [`LeaderElector`]. The default durations are those of Kubernetes' components.
#[must_use]
pub struct LeaderElectorBuilder {
    lock: LeaseLock,
    timing: Timing,
    release_on_cancel: bool,
    name: Option<String>,
    metrics: Arc<dyn Provider>,
    on_new_leader: Option<OnNewLeader>,
}

impl LeaderElector {
    /// Returns a builder for `lock` with the default settings.
    pub fn builder(lock: LeaseLock) -> LeaderElectorBuilder {
        LeaderElectorBuilder {
            lock,
            timing: Timing::default(),
            release_on_cancel: true,
            name: None,
            metrics: Arc::new(NoMetrics),
            on_new_leader: None,
        }
    }
}

impl LeaderElectorBuilder {
    /// Sets the time after which other replicas take the lease, if they have not observed a
    /// renewal. Default: 15 s.
    ///
    /// In the `Lease`, the value is rounded up to whole seconds. If a leader is killed, no replica
    /// leads until this time has passed.
    pub fn lease_duration(mut self, duration: Duration) -> Self {
        self.timing.lease_duration = duration.min(FOR_EVER);
        self
    }

    /// Sets the time after which a leader that cannot renew the lease cancels its work. The time
    /// counts from when the last successful renewal was sent. Default: 10 s.
    ///
    /// After the cancellation, the work has to end within the rest of
    /// [`lease_duration`](Self::lease_duration). client-go counts from the first failed attempt,
    /// which is at least one retry period later. There, work has less time to end, or none.
    pub fn renew_deadline(mut self, deadline: Duration) -> Self {
        self.timing.renew_deadline = deadline;
        self
    }

    /// Sets the time between the starts of two renewals. Default: 2 s. While another replica leads,
    /// the pause between two attempts to acquire the lease is this time, plus jitter of up to 120%.
    pub fn retry_period(mut self, period: Duration) -> Self {
        self.timing.retry_period = period;
        self
    }

    /// Sets whether to release the lease when the work has ended, so that other replicas do not
    /// wait until the lease expires. Default: true.
    ///
    /// In client-go, the default is false, since there the work may still run when the lease is
    /// released. Use `false` here if the work leaves tasks running when it ends.
    pub fn release_on_cancel(mut self, release: bool) -> Self {
        self.release_on_cancel = release;
        self
    }

    /// Sets the name of the election in metrics and in
    /// [`Leadership::check`](super::Leadership::check). Default: the name of the lease.
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// Enables the metrics `leader_election_*` of [`metrics`](crate::metrics). Default: no metrics.
    pub fn metrics(mut self, provider: Arc<dyn Provider>) -> Self {
        self.metrics = provider;
        self
    }

    /// Sets a callback for every new leader, including the first one and this replica. It receives
    /// the leader's identity, or `None` after the lease was released.
    ///
    /// The callback runs between two attempts to acquire or renew the lease, and must not block.
    /// Its panics are caught and logged.
    pub fn on_new_leader(
        mut self,
        on_new_leader: impl Fn(Option<&str>) + Send + Sync + 'static,
    ) -> Self {
        self.on_new_leader = Some(Box::new(on_new_leader));
        self
    }

    /// Validates the settings and returns the elector. No request is sent yet.
    ///
    /// # Errors
    ///
    /// See [`LeaderElectionConfigError`].
    pub fn build(self) -> Result<LeaderElector, LeaderElectionConfigError> {
        self.timing.check()?;
        if self.lock.identity().is_empty() {
            return Err(LeaderElectionConfigError::NoIdentity);
        }
        check_lease(self.lock.namespace(), self.lock.name())?;
        let name = self.name.unwrap_or_else(|| self.lock.name().to_owned());
        let candidate = Candidate {
            lock: self.lock,
            timing: self.timing,
            release_on_cancel: self.release_on_cancel,
            metrics: ElectionMetrics::new(&*self.metrics, &name),
            name,
            on_new_leader: self.on_new_leader,
            observed: Mutex::default(),
            reported: Mutex::default(),
            failure: Mutex::default(),
            loss: Mutex::default(),
            unsettled: AtomicBool::default(),
        };
        Ok(LeaderElector {
            candidate: Arc::new(candidate),
        })
    }
}

impl fmt::Debug for LeaderElectorBuilder {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("LeaderElectorBuilder")
            .field("lock", &self.lock)
            .field("timing", &self.timing)
            .field("release_on_cancel", &self.release_on_cancel)
            .finish_non_exhaustive()
    }
}
