//! A Kubernetes API server in the process.

#[doc(hidden)]
pub mod ssa;
