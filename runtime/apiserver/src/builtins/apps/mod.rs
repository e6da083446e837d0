//! Kinds of the group `apps`.

pub(crate) mod rolling_update;
pub(crate) mod status;
pub(crate) mod workload;
