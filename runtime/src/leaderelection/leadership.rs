//! Leadership status for health checks, logs and monitoring: [`Leadership`], [`HealthzAdaptor`].

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::time::Instant;

use super::candidate::Candidate;

/// The current leader as observed by this replica, and the health of the election. Cheap to clone.
///
/// Do not use it to decide whether to work, since the state may change right after the call. The
/// work uses its token for that.
#[derive(Clone)]
pub struct Leadership(pub(super) Arc<Candidate>);

/// Error of [`Leadership::check`]: the leader is stuck, it has neither renewed its lease nor
/// stopped. The message is client-go's.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("failed election to renew leadership on lease {lease}")]
#[non_exhaustive]
pub struct NotRenewedError {
    /// The name of the election.
    pub lease: String,
}

impl Leadership {
    /// Returns the last observed leader: client-go's `GetLeader`. Returns `None` before a leader
    /// was observed and after the lease was released.
    #[must_use]
    pub fn leader(&self) -> Option<String> {
        let holder = self.0.observed().record.holder;
        Some(holder).filter(|holder| !holder.is_empty())
    }

    /// Whether this replica holds the lease and the lease has not expired. It expires
    /// `lease_duration` after the last successful renewal was sent.
    ///
    /// client-go's `IsLeader` compares the holder only, and stays true after the lease has expired.
    #[must_use]
    pub fn is_leader(&self) -> bool {
        let observed = self.0.observed();
        self.0.is_ours(&observed.record) && observed.is_valid(Instant::now())
    }

    /// Returns why this replica lost the lease: the new holder, or why it could not be renewed.
    /// Returns `None` if it was not lost.
    #[must_use]
    pub fn loss(&self) -> Option<String> {
        self.0.loss.lock().clone()
    }

    /// Checks that this replica is not stuck as the leader. The check fails if this replica was the
    /// last holder and the lease has been expired for longer than `max_tolerable_expired_lease`.
    /// The replica should have stopped by then and has to be restarted.
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

/// A health check that can be served before the election exists: client-go's `HealthzAdaptor`.
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
    /// Returns a check that fails once the lease has been expired for longer than `timeout`.
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

    /// Runs [`Leadership::check`]; succeeds as long as no election is set.
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
