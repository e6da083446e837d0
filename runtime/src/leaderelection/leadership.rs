//! What others may ask of an election.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use super::candidate::Candidate;

/// Who leads, as far as this replica knows, and whether it is well. Cheap to clone; for health checks, logs and monitoring.
///
/// Not for deciding whether to work: what it says may have changed by then. The work has its token for that.
#[derive(Clone)]
pub struct Leadership(pub(super) Arc<Candidate>);

/// A leader has not renewed its lease and has not stopped either: it is stuck. The words are client-go's.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("failed election to renew leadership on lease {lease}")]
#[non_exhaustive]
pub struct NotRenewedError {
    /// What the election is called.
    pub lease: String,
}

impl Leadership {
    /// Who was last seen to lead: client-go's `GetLeader`. `None` before anybody was, and once the lease was given back.
    #[must_use]
    pub fn leader(&self) -> Option<String> {
        let holder = self.0.observed().record.holder;
        Some(holder).filter(|holder| !holder.is_empty())
    }

    /// Whether this replica holds the lease, and the lease has not ended: it ends `lease_duration`
    /// after the last renewal that succeeded was sent.
    ///
    /// client-go's `IsLeader` looks at the holder alone, and stays true after the lease has ended.
    #[must_use]
    pub fn is_leader(&self) -> bool {
        let observed = self.0.observed();
        self.0.is_ours(&observed.record) && observed.is_valid(Instant::now())
    }

    /// Why this replica has lost the lease: who holds it, or why it could not be renewed. `None` if
    /// it was not lost.
    #[must_use]
    pub fn loss(&self) -> Option<String> {
        self.0.loss.lock().clone()
    }

    /// Whether this replica is well: it fails once the lease has ended for longer than `max_tolerable_expired_lease` and this
    /// replica was the last to hold it. It should have stopped then, and somebody should stop it.
    ///
    /// # Errors
    ///
    /// [`NotRenewedError`].
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
