//! Shared support for the tests that use an API server: control planes that tests share, and their
//! published schemas.
//!
//! The test target `e2e` has the tests of this folder, and of `differential`, `serve` and
//! `upstream` beside it. The test target `programs` has those of `cli` and `projects`.

pub mod published;
pub mod suite;

pub use genclient_apiserver::control_plane;
pub use genclient_apiserver::control_plane::ControlPlane;
pub use genclient_apiserver::{NotYet, eventually};
