//! Types outside of the API module that API types use.

use serde::{Deserialize, Serialize};

pub mod deep;
mod hidden;
pub mod sizes;

/// Resource limits.
#[derive(Clone, Debug, Serialize, Deserialize, genclient::CrdSchema)]
pub struct Limits {
    #[crd(maximum = 100)]
    pub cpu: Cpu,
    pub names: Names,
}

type Cpu = u32;

/// Names by key.
pub type Names<K = String> = std::collections::BTreeMap<K, String>;

pub mod facade {
    pub use super::hidden::*;
}
