//! What the integration tests share: one control plane per test binary, what it publishes, and what
//! is in a folder.
//!
//! The tests themselves are in the folders beside this one, one test target each.

mod files;
pub mod published;
pub mod suite;

pub use files::files;
pub use genclient_apiserver::control_plane;
pub use genclient_apiserver::control_plane::ControlPlane;
pub use genclient_apiserver::{NotYet, eventually};
