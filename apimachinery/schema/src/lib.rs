//! Structural schemas of Kubernetes custom resources: validation, defaulting, pruning and CEL
//! rules.
//!
//! The generator uses this crate to find errors before a definition reaches an API server.
//! `genclient-apiserver` uses it at run time. The crate reads no Rust sources and calls no API
//! server: it takes schemas and values and returns plain data.
//!
//! - [`Schema`] is `JSONSchemaProps`, typed.
//! - [`definition`] checks whether the API server accepts a schema or a CustomResourceDefinition.
//! - [`values`] validates values against a schema; [`formats`] validates strings, and
//!   [`re2`] reads patterns.
//! - [`cel`] parses CEL expressions, infers their types, estimates their cost and, with the
//!   feature `evaluate`, evaluates them. [`rules`] declares the types of schemas and validates
//!   objects.
//! - [`json_path`] parses and evaluates the paths of columns, scales and selectable fields.
//! - [`object`] decodes, prunes, defaults and validates custom resources; [`meta`] decodes and
//!   validates their metadata.
//! - [`kubernetes`] holds the published schemas of built-in types.
//! - [`yaml`] reads YAML documents, with Go's limit of aliases.

pub mod cel;
pub mod definition;
pub mod formats;
pub mod json_path;
pub mod kubernetes;
pub mod meta;
mod model;
pub mod object;
pub mod re2;
mod read;
pub mod rules;
pub mod values;
pub mod yaml;

pub use model::{JsonType, ListType, MapType, Origin, Schema, SourceId, Validation};
