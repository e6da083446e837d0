//! Kinds that the server serves: Kubernetes' own as data with their behaviour, and discovery.

pub mod builtin;
pub mod defaults;
pub mod discovery;
mod hash;
pub mod prepare;
pub mod rules;
