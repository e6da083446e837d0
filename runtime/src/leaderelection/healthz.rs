//! The health check of an election.

use std::time::Duration;

use parking_lot::Mutex;

use super::leadership::{Leadership, NotRenewedError};

/// A health check that can be served before there is an election to check: client-go's `HealthzAdaptor`.
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
    /// A check that tolerates a lease that has ended for no longer than `timeout`.
    #[must_use]
    pub fn new(timeout: Duration) -> Self {
        Self {
            timeout,
            leadership: Mutex::new(None),
        }
    }

    /// What the check is called: `leaderElection`.
    #[must_use]
    pub fn name(&self) -> &'static str {
        "leaderElection"
    }

    /// Says which election to check from now on.
    pub fn set_leader_election(&self, leadership: Leadership) {
        *self.leadership.lock() = Some(leadership);
    }

    /// [`Leadership::check`]; all is well as long as there is no election.
    ///
    /// # Errors
    ///
    /// [`NotRenewedError`].
    pub fn check(&self) -> Result<(), NotRenewedError> {
        match &*self.leadership.lock() {
            Some(leadership) => leadership.check(self.timeout),
            None => Ok(()),
        }
    }
}
