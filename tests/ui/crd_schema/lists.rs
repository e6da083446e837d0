//! Invalid list types and list map keys.
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
    #[crd(list_type = "maps")]
    pub misspelt: Vec<String>,
    #[crd(list_type = "map")]
    pub without_keys: Vec<String>,
    #[crd(list_map_keys = ["name"])]
    pub keys_alone: Vec<String>,
}

fn main() {}
