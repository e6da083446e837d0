//! Kinds that the server serves: Kubernetes' own as data, and the discovery of all.

pub mod builtin;
pub mod discovery;
mod hash;
