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
use super::meter::ElectionMeter;
use crate::metrics::{NoMetrics, Provider};
use crate::time::FOR_EVER;

/// Settings of a [`LeaderElector`]. The defaults are those of Kubernetes' own components.
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
    /// Returns a builder for `lock` with the defaults of Kubernetes' own components.
    pub fn builder(lock: LeaseLock) -> LeaderElectorBuilder {
        LeaderElectorBuilder {
            lock,
            timing: Timing {
                lease_duration: Duration::from_secs(15),
                renew_deadline: Duration::from_secs(10),
                retry_period: Duration::from_secs(2),
            },
            release_on_cancel: true,
            name: None,
            metrics: Arc::new(NoMetrics),
            on_new_leader: None,
        }
    }
}

impl LeaderElectorBuilder {
    /// Sets how long other replicas wait without observing a renewal before they take the lease.
    /// Default: 15 s.
    ///
    /// A lease has a duration in whole seconds, so the value is rounded up. After a leader was
    /// killed, there is no leader for that long.
    pub fn lease_duration(mut self, duration: Duration) -> Self {
        self.timing.lease_duration = duration.min(FOR_EVER);
        self
    }

    /// Sets how long after sending the last successful renewal the leader stops. Default: 10 s.
    ///
    /// The rest of [`lease_duration`](Self::lease_duration) is the time in which the work has to
    /// end. client-go counts from the first failed attempt, at least one retry period later, and
    /// leaves the work less time or none.
    pub fn renew_deadline(mut self, deadline: Duration) -> Self {
        self.timing.renew_deadline = deadline;
        self
    }

    /// Sets the time from the start of one renewal to the start of the next. Default: 2 s. While
    /// another replica leads, it is the pause between two attempts, plus jitter of up to 120%.
    pub fn retry_period(mut self, period: Duration) -> Self {
        self.timing.retry_period = period;
        self
    }

    /// Sets whether the lease is released when the work has ended, so that other replicas need not
    /// wait for it to expire. Default: true.
    ///
    /// client-go's default is false, since there the lease can be released while the work still
    /// runs. Turn it off for work that leaves tasks running.
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

    /// Records the metrics `leader_election_*` of [`metrics`](crate::metrics). Default: no metrics.
    pub fn metrics(mut self, provider: Arc<dyn Provider>) -> Self {
        self.metrics = provider;
        self
    }

    /// Sets a callback for observed changes of the leader, including the first leader and this
    /// replica. It receives the leader's identity, or `None` after the lease was released.
    ///
    /// The callback runs between two attempts and must not block. A panic in it is caught and
    /// logged.
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
            meter: ElectionMeter::new(&*self.metrics, &name),
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
