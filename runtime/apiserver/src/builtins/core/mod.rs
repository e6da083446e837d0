//! Kinds of the core group.

pub(crate) mod claim_warnings;
pub(crate) mod event;
pub(crate) mod key_pair;
pub(crate) mod node;
pub(crate) mod node_labels;
pub(crate) mod persistent_volume_claim;
pub(crate) mod pod;
pub(crate) mod pod_spec;
pub(crate) mod resource_quota;
pub(crate) mod resources;
pub(crate) mod secret;
pub(crate) mod service;
