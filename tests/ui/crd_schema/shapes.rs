//! Keys that do not apply to the type that they stand on.
use std::collections::BTreeMap;

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
    #[crd(minimum = 1)]
    pub text: String,
    #[crd(min_length = 1)]
    pub texts: Vec<String>,
    #[crd(min_items = 1)]
    pub letters: String,
    #[crd(min_properties = 1)]
    pub numbers: Vec<i32>,
    #[crd(struct_type = "atomic")]
    pub map: BTreeMap<String, i32>,
    #[crd(embedded_metadata)]
    pub metadata: String,
    pub structure: Structure,
}

#[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
#[crd(map_type = "atomic")]
pub struct Structure {
    pub a: Option<String>,
}

fn main() {}
