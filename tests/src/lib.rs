//! What the integration tests share: a real control plane on loopback, waiting for it, what it publishes, and
//! what is in a folder.
//!
//! The tests themselves are in the folders beside this one, one test target each.

pub mod control_plane;
mod eventually;
mod files;
pub mod published;
pub mod suite;

pub use control_plane::ControlPlane;
pub use eventually::{NotYet, eventually};
pub use files::files;
