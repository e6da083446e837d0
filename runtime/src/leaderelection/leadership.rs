//! Leadership status for health checks, logs and monitoring: [`Leadership`], [`HealthzAdaptor`].

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::time::Instant;

use super::candidate::Candidate;

/// Status of an election: the leader as observed by this replica, and whether this replica is
/// stuck. Cheap to clone.
///
/// Do not use it to decide whether to work, since it may change right after the call. Use the token
/// that is passed to the work.
#[derive(Clone)]
pub struct Leadership(pub(super) Arc<Candidate>);

/// Error of [`Leadership::check`]: this replica was the leader, and neither renewed the lease nor
/// stopped in time. The message is client-go's.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("failed election to renew leadership on lease {lease}")]
#[non_exhaustive]
pub struct NotRenewedError {
    /// The name of the election.
    pub lease: String,
}

impl Leadership {
    /// Returns the last observed leader, as client-go's `GetLeader`. Returns `None` before a leader
    /// was observed, and after the lease was released.
    #[must_use]
    pub fn leader(&self) -> Option<String> {
        let holder = self.0.observed().record.holder;
        Some(holder).filter(|holder| !holder.is_empty())
    }

    /// Returns whether this replica holds a lease that has not expired. The lease expires
    /// `lease_duration` after the last successful renewal was sent.
    ///
    /// client-go's `IsLeader` only compares the holder, so it stays true after the lease has
    /// expired.
    #[must_use]
    pub fn is_leader(&self) -> bool {
        let observed = self.0.observed();
        self.0.is_ours(&observed.record) && observed.is_valid(Instant::now())
    }

    /// Returns why this replica lost the lease: the new holder, or the failure of the last renewal.
    /// Returns `None` if it has never lost the lease.
    #[must_use]
    pub fn loss(&self) -> Option<String> {
        self.0.loss.lock().clone()
    }

    /// Checks that this replica is not a stuck leader. Fails if this replica was the last holder
    /// and the lease expired more than `max_tolerable_expired_lease` ago. The replica should have
    /// stopped by then, so restart it.
    ///
    /// # Errors
    ///
    /// Returns [`NotRenewedError`] if the check fails.
    pub fn check(&self, max_tolerable_expired_lease: Duration) -> Result<(), NotRenewedError> {
        let candidate = &*self.0;
        let observed = candidate.observed();
        let limit = candidate
            .timing
            .lease_duration
            .saturating_add(max_tolerable_expired_lease);
        let is_overdue = observed.at.is_some_and(|at| at.elapsed() > limit);
        if candidate.is_ours(&observed.record) && is_overdue {
            return Err(NotRenewedError {
                lease: candidate.name.clone(),
            });
        }
        Ok(())
    }
}

impl fmt::Debug for Leadership {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Leadership")
            .field("name", &self.0.name)
            .field("leader", &self.leader())
            .finish_non_exhaustive()
    }
}

/// Health check that can be served before there is an election: client-go's `HealthzAdaptor`.
///
/// ```
/// use std::time::Duration;
///
/// use genclient::leaderelection::HealthzAdaptor;
///
/// let adaptor = HealthzAdaptor::new(Duration::from_secs(20));
/// assert!(adaptor.check().is_ok());
/// // later: adaptor.set_leader_election(elector.leadership());
/// ```
#[derive(Debug)]
pub struct HealthzAdaptor {
    timeout: Duration,
    leadership: Mutex<Option<Leadership>>,
}

impl HealthzAdaptor {
    /// Returns a check that fails if this replica was the last holder of the lease, and the lease
    /// expired more than `timeout` ago.
    #[must_use]
    pub fn new(timeout: Duration) -> Self {
        Self {
            timeout,
            leadership: Mutex::new(None),
        }
    }

    /// Returns the name of the check: `leaderElection`.
    #[must_use]
    pub fn name(&self) -> &'static str {
        "leaderElection"
    }

    /// Sets the election to check.
    pub fn set_leader_election(&self, leadership: Leadership) {
        *self.leadership.lock() = Some(leadership);
    }

    /// Runs [`Leadership::check`]. Succeeds while no election is set.
    ///
    /// # Errors
    ///
    /// See [`Leadership::check`].
    pub fn check(&self) -> Result<(), NotRenewedError> {
        match &*self.leadership.lock() {
            Some(leadership) => leadership.check(self.timeout),
            None => Ok(()),
        }
    }
}
