//! A Kubernetes API server in the process.

#[doc(hidden)]
pub mod kinds;
#[doc(hidden)]
pub mod patch;
#[doc(hidden)]
pub mod types;
