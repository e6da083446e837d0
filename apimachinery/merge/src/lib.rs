//! Patches and server-side apply of Kubernetes objects.
//!
//! All functions take and return JSON values; nothing is read or written.
//!
//! - [`patch`] applies JSON patches, merge patches and strategic merge patches.
//! - [`ssa`] merges applied configurations, and computes managed fields.
//!
//! The crate is internal: it is published for `genclient-apiserver`, and may change in patch
//! versions.

pub mod patch;
pub mod ssa;
