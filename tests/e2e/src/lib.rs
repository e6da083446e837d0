//! Shared support for the tests that use an API server: one control plane per test binary, and its
//! published schemas.
//!
//! The tests themselves are in the folders next to this package, one test target each.

mod memory;
pub mod published;
pub mod suite;

pub use genclient_apiserver::{NotYet, eventually, eventually_within};
pub use genclient_envtest::ControlPlane;
pub use memory::memory_without_program;
