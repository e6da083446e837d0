//! Invalid fields in `exactly_one_of` and `at_least_one_of`.
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
    pub one: One,
    pub nested: Nested,
}

#[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
#[crd(exactly_one_of = ["a"])]
pub struct One {
    pub a: Option<String>,
}

#[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
#[crd(at_least_one_of = ["a.b", "c"])]
pub struct Nested {
    pub a: Option<String>,
    pub c: Option<String>,
}

fn main() {}
