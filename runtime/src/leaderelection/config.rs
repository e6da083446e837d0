//! Timing of an election, and the checks on it.

use std::time::Duration;

/// By how much pauses between attempts to acquire the lease are lengthened at most: client-go's `JitterFactor`.
pub(super) const JITTER_FACTOR: f64 = 1.2;

/// How long what may take.
#[derive(Clone, Copy, Debug)]
pub(super) struct Timing {
    pub(super) lease_duration: Duration,
    pub(super) renew_deadline: Duration,
    pub(super) retry_period: Duration,
}

/// Settings that no election can go by. The words are client-go's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LeaderElectionConfigError {
    /// The lease would end before its holder gives up.
    #[error("leaseDuration must be greater than renewDeadline")]
    LeaseDuration,
    /// There would be no time to renew.
    #[error("renewDeadline must be greater than retryPeriod*JitterFactor")]
    RenewDeadline,
    /// The API server would be asked without a pause.
    #[error("retryPeriod must be greater than zero")]
    NoRetryPeriod,
    /// Nobody would hold the lease.
    #[error("Lock identity is empty")]
    NoIdentity,
}

impl Timing {
    pub(super) fn check(&self) -> Result<(), LeaderElectionConfigError> {
        if self.lease_duration <= self.renew_deadline {
            return Err(LeaderElectionConfigError::LeaseDuration);
        }
        if self.renew_deadline.as_secs_f64() <= self.retry_period.as_secs_f64() * JITTER_FACTOR {
            return Err(LeaderElectionConfigError::RenewDeadline);
        }
        // The other two are greater than zero now: durations are not negative.
        if self.retry_period.is_zero() {
            return Err(LeaderElectionConfigError::NoRetryPeriod);
        }
        Ok(())
    }

    /// The lease duration as others are told of it: never shorter than it is.
    pub(super) fn lease_seconds(&self) -> i32 {
        let seconds = self.lease_duration.as_secs();
        let seconds = seconds + u64::from(self.lease_duration.subsec_nanos() > 0);
        i32::try_from(seconds).unwrap_or(i32::MAX)
    }

    /// How long a request may take: one that hangs must not cost the lease.
    pub(super) fn request_timeout(&self) -> Duration {
        (self.renew_deadline / 2).max(Duration::from_secs(1))
    }
}
