//! Keys in `items(…)`, `keys(…)` and `values(…)` that do not fit the type.
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
    #[crd(items(min_length = 1))]
    pub no_list: String,
    #[crd(items(minimum = 1))]
    pub items: Vec<String>,
    #[crd(items(nullable))]
    pub fields: Vec<String>,
    #[crd(keys(minimum = 1))]
    pub keys: BTreeMap<String, i32>,
    #[crd(values(minimum = 1))]
    pub no_map: Vec<i32>,
}

fn main() {}
