//! Kinds of the group `admissionregistration.k8s.io`.

pub(crate) mod match_resources;
pub(crate) mod mutating_admission_policy;
pub(crate) mod mutating_admission_policy_binding;
pub(crate) mod validating_admission_policy;
pub(crate) mod validating_admission_policy_binding;
pub(crate) mod webhook_configuration;
