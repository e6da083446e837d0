//! Kinds of the group `autoscaling`.

pub(crate) mod columns;
pub(crate) mod conversion;
pub(crate) mod horizontal_pod_autoscaler;
