//! Public types, each with a name of its own.

use genclient::prelude::*;
use serde::{Deserialize, Serialize};

#[genclient]
#[group = "edge.example.com"]
#[version = "v1"]
pub struct Gateway {
    pub metadata: ObjectMeta,
    pub spec: GatewaySpec,
}

#[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
pub struct GatewaySpec {
    pub mode: Mode,
    pub level: hidden::Level,
    pub source: Source,
    pub git: GitSource,
}

#[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
pub enum Mode {
    On,
    Off,
}

pub mod hidden {
    use genclient::prelude::*;
    use serde::{Deserialize, Serialize};

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub enum Level {
        Low,
        High,
    }
}

#[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
pub enum Source {
    Git { url: String },
}

#[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
pub struct GitSource {
    pub url: String,
}
