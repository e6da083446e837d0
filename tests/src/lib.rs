//! What the integration tests share: a real control plane on loopback, and waiting for it.
//!
//! The tests themselves are in the folders beside this one, one test target each.

pub mod control_plane;
mod eventually;
pub mod suite;

pub use control_plane::ControlPlane;
pub use eventually::{NotYet, eventually};
