//! Kubernetes' own kinds: a folder for each API group, a file for each kind.
//!
//! A file has everything about its kind: a [`Strategy`](strategy::Strategy) that prepares,
//! validates and prints objects, and the defaults. What several kinds share stands in modules of
//! the group that owns it. [`strategies`] maps kinds to strategies, [`rest`] is the part of a write
//! that is the same for all kinds, and [`kind`] has the names, verbs and columns. Two things are
//! missing: most rules of old volume types such as `rbd`, and some fields of Go structs that
//! kube-apiserver prints in messages.
//!
//! `tests/integration/kinds.rs`, `warnings.rs` and `tables.rs` compare the results with those of
//! kube-apiserver.

pub(crate) mod addresses;
pub(crate) mod admissionregistration;
pub(crate) mod apiextensions;
pub(crate) mod apiregistration;
pub(crate) mod apps;
pub(crate) mod autoscaling;
pub(crate) mod batch;
pub(crate) mod certificates;
pub(crate) mod coordination;
pub(crate) mod core;
pub mod defaults;
pub(crate) mod discovery;
pub(crate) mod events;
pub(crate) mod field;
pub(crate) mod findings;
pub mod flags;
pub(crate) mod flowcontrol;
pub(crate) mod ip;
pub mod kind;
pub(crate) mod members;
pub(crate) mod names;
pub(crate) mod networking;
pub(crate) mod node;
pub(crate) mod policy;
pub(crate) mod rbac;
pub(crate) mod resource;
pub(crate) mod rest;
pub(crate) mod row;
pub(crate) mod scheduling;
pub(crate) mod selectable;
pub(crate) mod selectors;
pub(crate) mod storage;
pub(crate) mod strategies;
pub(crate) mod strategy;
pub(crate) mod warnings;
