//! Types and rules that every part of Kubernetes shares, as in Go's k8s.io/apimachinery.
//!
//! The generator and the API server in the process use this crate. It depends on no Kubernetes
//! crate.
//!
//! - [`errors`] joins errors into one message.
//! - [`field`] has validation errors with the path of a field.
//! - [`fieldpath`] has the sets of fields that managers own.
//! - [`fields`] and [`labels`] have the selectors of lists and watches.
//! - [`go`] formats and parses values as Go does.
//! - [`meta`] has the times of object metadata.
//! - [`resource`] has quantities.
//! - [`sharding`] has the shard selectors of lists and watches.
//! - [`storage_migration`] rewrites custom objects in the storage version of their kind.
//! - [`unstructured`] reads fields of JSON objects, and compares JSON values.
//! - [`validation`] has the rules for names, labels and ports.
//! - [`version`] orders versions of API groups.
//! - [`strfmt`] validates and parses the formats of strings in schemas.

pub mod errors;
pub mod field;
pub mod fieldpath;
pub mod fields;
pub mod go;
pub mod labels;
pub mod meta;
pub mod resource;
pub mod sharding;
pub mod storage_migration;
pub mod strfmt;
pub mod unstructured;
pub mod validation;
pub mod version;
