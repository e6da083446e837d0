//! Leader election record, as stored in a lease.

use k8s_openapi::api::coordination::v1::LeaseSpec;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::MicroTime;

/// client-go's `LeaderElectionRecord`, without the fields of coordinated leader election, which is
/// alpha.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Record {
    /// Identity of the holder; empty if the lease is released.
    pub(super) holder: String,
    /// How long the lease is valid after an observed change, in seconds.
    pub(super) lease_seconds: i32,
    /// How often the holder has changed.
    pub(super) transitions: i32,
    pub(super) acquire_time: Option<MicroTime>,
    pub(super) renew_time: Option<MicroTime>,
}

impl From<&LeaseSpec> for Record {
    fn from(spec: &LeaseSpec) -> Self {
        Self {
            holder: spec.holder_identity.clone().unwrap_or_default(),
            lease_seconds: spec.lease_duration_seconds.unwrap_or_default(),
            transitions: spec.lease_transitions.unwrap_or_default(),
            acquire_time: spec.acquire_time.clone(),
            renew_time: spec.renew_time.clone(),
        }
    }
}

impl From<&Record> for LeaseSpec {
    fn from(record: &Record) -> Self {
        Self {
            holder_identity: Some(record.holder.clone()),
            lease_duration_seconds: Some(record.lease_seconds),
            lease_transitions: Some(record.transitions),
            acquire_time: record.acquire_time.clone(),
            renew_time: record.renew_time.clone(),
            ..Self::default()
        }
    }
}
