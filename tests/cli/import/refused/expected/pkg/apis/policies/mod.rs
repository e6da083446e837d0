//! The group `policies.k8s.io`.

pub mod v1;
