//! What an election goes by.

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
    /// An elector for `lock`, with the settings of Kubernetes' own components.
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
    /// How long others wait for a sign of life before they take the lease. Default: 15 s.
    ///
    /// A lease counts in seconds: others are told of the next whole one. After a leader was killed, nobody leads for as long.
    pub fn lease_duration(mut self, duration: Duration) -> Self {
        self.timing.lease_duration = duration.min(FOR_EVER);
        self
    }

    /// How long after the last renewal that succeeded was sent the leader stops. Default: 10 s.
    ///
    /// What is left of [`lease_duration`](Self::lease_duration) then is the time that the work has to end. (client-go
    /// counts from the first attempt that fails, a retry period later at least, and leaves the work less time or none.)
    pub fn renew_deadline(mut self, deadline: Duration) -> Self {
        self.timing.renew_deadline = deadline;
        self
    }

    /// The time from the beginning of one renewal to that of the next. Default: 2 s. While somebody
    /// else leads, it is the pause between two attempts, lengthened by up to 120% by chance.
    pub fn retry_period(mut self, period: Duration) -> Self {
        self.timing.retry_period = period;
        self
    }

    /// Whether the lease is given back when the work has ended. Default: true, as others need not wait for its end then.
    ///
    /// client-go's default is false, since there the lease can be given back while the work goes on. Turn it off for work that
    /// leaves tasks behind.
    pub fn release_on_cancel(mut self, release: bool) -> Self {
        self.release_on_cancel = release;
        self
    }

    /// What the election is called in metrics and in [`Leadership::check`](super::Leadership::check). Default: the name of the
    /// lease.
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// Measures the election: the metrics `leader_election_*` of [`metrics`](crate::metrics). Default: nothing is measured.
    pub fn metrics(mut self, provider: Arc<dyn Provider>) -> Self {
        self.metrics = provider;
        self
    }

    /// Is told who leads, once for each change that was seen, with the first leader and this replica among them; `None` once
    /// the lease was given back.
    ///
    /// It is called between two attempts, and must not block. What it panics with is logged.
    pub fn on_new_leader(
        mut self,
        on_new_leader: impl Fn(Option<&str>) + Send + Sync + 'static,
    ) -> Self {
        self.on_new_leader = Some(Box::new(on_new_leader));
        self
    }

    /// Checks the settings. Nothing is sent yet.
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
