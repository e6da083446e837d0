//! A schema key on an enum variant, which has no schema of its own.
use genclient::prelude::*;

#[genclient]
#[group = "example.com"]
#[version = "v1"]
pub struct GPUTask {
    pub metadata: ObjectMeta,
    pub spec: Spec,
}

#[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
pub struct Spec {
    pub choice: Choice,
}

#[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
pub enum Choice {
    #[crd(title = "A")]
    A,
}

fn main() {}
