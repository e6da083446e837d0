//! Custom resources, as in the API server: processing between JSON parsing and storage, table
//! columns, and the scale subresource.
//!
//! First, [`decode`] reads metadata, prunes undeclared fields and removes nulls. Then
//! [`fill_in_defaults`] adds defaults, and [`CustomResource`] validates. The module follows
//! `k8s.io/apiextensions-apiserver/pkg/apiserver` and `pkg/registry/customresource`.

mod columns;
mod decode;
mod defaults;
mod embedded;
mod go;
mod prune;
mod resource;
mod scale;

pub use self::columns::{Column, human_duration, selectable_fields};
pub(crate) use self::decode::Coercer;
pub use self::decode::decode;
pub use self::defaults::{fill_in_defaults, remove_nulls};
pub use self::embedded::embedded_causes;
pub use self::prune::{Pruning, prune};
pub use self::resource::{CustomResource, ObjectRules};
pub use self::scale::Scale;
