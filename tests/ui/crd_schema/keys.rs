//! Unknown and misplaced keys of `#[crd]` on fields and types.
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
    #[crd(min_lenght = 1)]
    pub misspelt: String,
    #[crd(flavour = 1)]
    pub unknown: String,
    #[crd(unique_items)]
    pub refused: Vec<String>,
    #[crd(at_most_one_of = ["a", "b"])]
    pub of_types: String,
    #[crd(storage)]
    pub of_kinds: String,
    pub on_type: OnType,
}

#[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
#[crd(immutable, plural = "specs")]
pub struct OnType {
    pub field: String,
}

fn main() {}
