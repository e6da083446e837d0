//! Values of the wrong type for their key.
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
    #[crd(minimum = "1")]
    pub number: i32,
    #[crd(default = MAX)]
    pub constant: i32,
    #[crd(default = 1u8)]
    pub suffix: i32,
    #[crd(min_length = -1)]
    pub negative: String,
    #[crd(type = "int")]
    pub json_type: String,
    #[crd(enum = ["a", 1])]
    pub members: String,
    #[crd(default = ["a", 1])]
    pub default: Vec<String>,
}

fn main() {}
