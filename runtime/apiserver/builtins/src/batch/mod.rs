//! Kinds of the group `batch`.

pub(crate) mod cron_job;
pub(crate) mod job;
pub(crate) mod pod_failure_policy;
pub(crate) mod schedule;
