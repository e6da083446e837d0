//! What is no API by itself.

use serde::{Deserialize, Serialize};

pub mod deep;
mod hidden;
pub mod sizes;

/// How much there may be.
#[derive(Clone, Debug, Serialize, Deserialize, genclient::CrdSchema)]
pub struct Limits {
    #[crd(maximum = 100)]
    pub cpu: Cpu,
    pub names: Names,
}

type Cpu = u32;

/// One name for each of them.
pub type Names<K = String> = std::collections::BTreeMap<K, String>;

pub mod facade {
    pub use super::hidden::*;
}
