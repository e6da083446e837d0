//! Election timing, and validation of the settings (client-go, `NewLeaderElector` in
//! `tools/leaderelection/leaderelection.go`).

use std::time::Duration;

use genclient_apimachinery::validation;

use crate::config::{self, NamespaceError};

/// Jitter factor of the pauses between attempts to acquire the lease: client-go's `JitterFactor`.
pub(super) const JITTER_FACTOR: f64 = 1.2;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Timing {
    pub(crate) lease_duration: Duration,
    pub(crate) renew_deadline: Duration,
    pub(crate) retry_period: Duration,
}

/// The durations of Kubernetes' components.
impl Default for Timing {
    fn default() -> Self {
        Self {
            lease_duration: Duration::from_secs(15),
            renew_deadline: Duration::from_secs(10),
            retry_period: Duration::from_secs(2),
        }
    }
}

/// Invalid election settings: inconsistent durations or a missing identity, with client-go's
/// messages, or a name or namespace that the API server would reject.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LeaderElectionConfigError {
    /// The lease would expire before the leader stops renewing it.
    #[error("leaseDuration must be greater than renewDeadline")]
    LeaseDuration,
    /// The renew deadline is too short for a second attempt.
    #[error("renewDeadline must be greater than retryPeriod*JitterFactor")]
    RenewDeadline,
    /// The retry period is zero, so requests would be sent without a pause.
    #[error("retryPeriod must be greater than zero")]
    NoRetryPeriod,
    /// With sharding, work stops at the renew deadline, and is dropped at nine tenths of the lease
    /// duration. The renew deadline must be the earlier of the two.
    #[error("with sharding, leaseDuration*9/10 must be greater than renewDeadline")]
    ShardingLeaseDuration,
    /// The lock has no identity.
    #[error("Lock identity is empty")]
    NoIdentity,
    /// The name of the lease is invalid, so the API server would reject every request.
    #[error(
        "invalid lease name `{0}`: expected lower-case letters, digits, `-` and `.`, with a letter or \
         digit at both ends"
    )]
    LeaseName(String),
    /// The namespace of the lease is invalid.
    #[error("invalid lease namespace `{namespace}`: {error}")]
    LeaseNamespace {
        /// The given namespace.
        namespace: String,
        /// The error, which states the expected form.
        error: NamespaceError,
    },
}

/// Validates the namespace and the name of the lease.
pub(crate) fn check_lease(namespace: &str, name: &str) -> Result<(), LeaderElectionConfigError> {
    if !validation::subdomain(name).is_empty() {
        return Err(LeaderElectionConfigError::LeaseName(name.to_owned()));
    }
    match config::namespace(namespace) {
        Ok(_) => Ok(()),
        Err(error) => Err(LeaderElectionConfigError::LeaseNamespace {
            namespace: namespace.to_owned(),
            error,
        }),
    }
}

impl Timing {
    pub(super) fn check(&self) -> Result<(), LeaderElectionConfigError> {
        if self.lease_duration <= self.renew_deadline {
            return Err(LeaderElectionConfigError::LeaseDuration);
        }
        if self.renew_deadline.as_secs_f64() <= self.retry_period.as_secs_f64() * JITTER_FACTOR {
            return Err(LeaderElectionConfigError::RenewDeadline);
        }
        // Only this duration can be zero: the checks above ensure that the others exceed it.
        if self.retry_period.is_zero() {
            return Err(LeaderElectionConfigError::NoRetryPeriod);
        }
        Ok(())
    }

    /// Returns the time after a renewal at which the work on shards is dropped. The rates of two
    /// clocks may differ by 10 %.
    pub(crate) fn fence(&self) -> Duration {
        self.lease_duration * 9 / 10
    }

    pub(crate) fn check_for_sharding(&self) -> Result<(), LeaderElectionConfigError> {
        self.check()?;
        if self.fence() <= self.renew_deadline {
            return Err(LeaderElectionConfigError::ShardingLeaseDuration);
        }
        Ok(())
    }

    /// Returns `lease_duration` in seconds, rounded up, as written to the lease.
    pub(crate) fn lease_seconds(&self) -> i32 {
        let seconds = self.lease_duration.as_secs();
        let seconds = seconds + u64::from(self.lease_duration.subsec_nanos() > 0);
        i32::try_from(seconds).unwrap_or(i32::MAX)
    }

    /// Returns the timeout of a request: half of the renew deadline, at least 1 s, so that the
    /// lease is not lost because one request hangs.
    pub(crate) fn request_timeout(&self) -> Duration {
        (self.renew_deadline / 2).max(Duration::from_secs(1))
    }
}
