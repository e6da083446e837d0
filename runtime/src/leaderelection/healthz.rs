//! Health check of a leader election: [`HealthzAdaptor`].

use std::time::Duration;

use parking_lot::Mutex;

use super::leadership::{Leadership, NotRenewedError};

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
