//! Contradictory keys on one field.
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
    #[crd(minimum = 5, maximum = 1)]
    pub swapped: i32,
    #[crd(exclusive_minimum)]
    pub exclusive: i32,
    #[crd(multiple_of = 0)]
    pub zero: i32,
    #[crd(default = 1, no_default)]
    pub default: i32,
    #[crd(optional, required)]
    pub presence: i32,
    #[crd(schema = { "type": "string" }, max_length = 3)]
    pub replaced: String,
}

fn main() {}
