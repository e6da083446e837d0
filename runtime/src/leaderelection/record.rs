//! What a lease says of its holder.

use k8s_openapi::api::coordination::v1::LeaseSpec;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::MicroTime;

/// client-go's `LeaderElectionRecord`, without what only its alpha of coordinated elections knows.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Record {
    /// Empty if nobody holds the lease.
    pub(super) holder: String,
    /// For how long the lease holds once it was seen to change.
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
