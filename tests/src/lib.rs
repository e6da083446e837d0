//! Shared support for the integration tests: one control plane per test binary, its published
//! schemas, and folder listing.
//!
//! The tests themselves are in the folders next to this one, one test target each.

mod files;
pub mod published;
pub mod suite;

pub use files::{files, golden_files};
pub use genclient_apiserver::control_plane;
pub use genclient_apiserver::control_plane::ControlPlane;
pub use genclient_apiserver::{NotYet, eventually};
