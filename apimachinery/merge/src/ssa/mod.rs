//! Managed fields and server-side apply.
//!
//! Objects are JSON values, merged by types that are built from their schemas. [`update()`]
//! computes the managed fields after a create or update; [`apply()`] merges an applied
//! configuration into an object.
//!
//! Source: apimachinery, pkg/util/managedfields; structured-merge-diff v6.

mod cap_managers;
mod conflict;
mod field_manager;
mod group_version;
mod last_applied;
mod managers;
mod prune;
mod resource;
pub mod scale;
mod strip;
mod time;
mod typed;
mod types;
mod update;
mod write;

pub use field_manager::{ConversionError, Converter, FieldManager};
pub use group_version::describe_object;
pub use managers::check_managers;
pub use resource::{ResourceFieldManagers, Version};
pub use time::keep_unchanged_times;
pub use types::{TypeId, Types};
pub use write::{ApplyFailure, Writer, apply, update};
