//! Structural schemas of Kubernetes custom resources, and everything that can be known from one.
//!
//! The generator asks it before a definition reaches an API server; a server asks the same code at
//! run time. It knows no Rust sources and no API server: schemas and values in, plain data out.
//!
//! - [`Schema`] is `JSONSchemaProps`, typed.
//! - [`definition`] says whether a schema is one that the API server takes.
//! - [`values`] validates values against a schema, [`formats`] and [`re2`] the texts in them.
//! - [`cel`] parses rules, finds their types and estimates their cost.
//! - [`json_path`] reads the paths of columns and scales.
//! - [`object`] decodes, prunes, defaults and validates custom resources, [`meta`] their metadata.
//! - [`kubernetes`] holds the schemas that the API server publishes of its own types.

pub mod calendar;
mod cause;
pub mod cel;
pub mod definition;
pub mod formats;
pub mod go;
pub mod json_path;
pub mod kubernetes;
pub mod meta;
mod model;
pub mod object;
pub mod re2;
mod read;
pub mod values;

pub use cause::Cause;
pub use model::{JsonType, ListType, MapType, Schema, SourceId, Validation};
