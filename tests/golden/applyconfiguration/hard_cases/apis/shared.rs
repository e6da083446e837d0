//! Structs that other modules flatten.

use genclient::prelude::*;
use serde::{Deserialize, Serialize};

/// Limits of a gateway.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, CrdSchema)]
#[serde(rename_all = "kebab-case")]
pub struct Limits {
    /// How many connections are open at a time.
    pub max_connections: i32,
}

/// Name of a part.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, CrdSchema)]
pub struct Named {
    /// Name, unique among the parts.
    pub name: String,
}
