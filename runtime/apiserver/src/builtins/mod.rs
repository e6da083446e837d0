//! Kubernetes' own kinds, by API group.

pub(crate) mod addresses;
pub(crate) mod admissionregistration;
pub(crate) mod apps;
pub(crate) mod autoscaling;
pub(crate) mod batch;
pub(crate) mod core;
pub(crate) mod discovery;
pub(crate) mod events;
pub(crate) mod field;
pub(crate) mod findings;
pub mod flags;
pub(crate) mod ip;
pub mod kind;
pub(crate) mod members;
pub(crate) mod names;
pub(crate) mod networking;
pub(crate) mod rbac;
pub(crate) mod row;
pub(crate) mod selectable;
pub(crate) mod selectors;
pub(crate) mod strategies;
pub(crate) mod strategy;
pub(crate) mod warnings;
