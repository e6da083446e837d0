//! Kinds of the group `resource.k8s.io`.

pub(crate) mod resource_claim;
pub(crate) mod resource_slice;
