//! Kubernetes' own kinds, for `genclient-apiserver`: a folder for each API group, a file for each
//! kind. This crate is internal: it is not a public API and changes without notice.
//!
//! A file has everything about its kind: a [`Strategy`](strategy::Strategy) that prepares,
//! validates and prints objects, and the defaults. What several kinds share stands in modules of
//! the group that owns it. `strategies` maps kinds to strategies, `rest` is the part of a write
//! that is the same for all kinds, and [`kind`] has the names, verbs and columns. Two things are
//! missing: most rules of old volume types such as `rbd`, and some fields of Go structs that
//! kube-apiserver prints in messages.
//!
//! `tests/integration/kinds.rs`, `warnings.rs` and `tables.rs` of `genclient-apiserver` compare the
//! results with those of kube-apiserver.

mod accessors;
mod addresses;
mod admissionregistration;
mod apiextensions;
mod apiregistration;
mod apps;
mod autoscaling;
mod batch;
mod cells;
mod certificates;
mod coordination;
mod core;
pub mod defaults;
mod discovery;
mod events;
mod field;
mod findings;
mod flowcontrol;
mod ip;
pub mod kind;
mod names;
mod networking;
mod node;
mod policy;
mod rbac;
mod resource;
mod rest;
pub mod row;
mod scheduling;
pub mod selectable;
mod selectors;
mod storage;
mod strategies;
pub mod strategy;
pub mod strategy_flags;
pub mod types;
mod warnings;
