//! Structural schemas of Kubernetes custom resources: validation, defaulting, pruning and CEL
//! rules.
//!
//! The generator uses this crate to find errors before a definition reaches an API server.
//! `genclient-apiserver` uses it at run time. The crate reads no Rust sources and calls no API
//! server: it takes schemas and values and returns plain data.
//!
//! - [`Schema`] is `JSONSchemaProps`, typed.
//! - [`definition`] checks whether the API server accepts a schema or a CustomResourceDefinition.
//! - [`values`] validates values against a schema; [`formats`] has the formats beside a type.
//! - [`rules`] declares the CEL types of schemas and, with the feature `evaluate`, validates
//!   objects by their rules.
//! - [`json_path`] parses and evaluates the paths of columns, scales and selectable fields.
//! - [`object`] decodes, prunes, defaults and validates custom resources; [`meta`] decodes and
//!   validates their metadata.
//! - [`kubernetes`] holds the published schemas of built-in types.
//! - [`yaml`] reads YAML documents, with Go's limit of aliases.

pub mod definition;
pub mod formats;
pub mod json_path;
pub mod kubernetes;
pub mod meta;
mod model;
pub mod object;
mod read;
pub mod rules;
pub mod values;
pub mod yaml;

pub use model::{
    JsonType, KEYWORDS, Keyword, KeywordForm, ListType, MapType, Origin, Schema, SourceId,
    Validation,
};
