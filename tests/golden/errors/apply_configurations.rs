//! Types that apply configurations cannot refer to, and two of the same name.

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
    pub git: SourceGit,
}

#[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
enum Mode {
    On,
    Off,
}

mod hidden {
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
pub struct SourceGit {
    pub url: String,
}
