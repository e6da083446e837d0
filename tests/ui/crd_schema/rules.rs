//! Invalid CEL rules, messages and reasons.
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
    #[crd(validation(message = "x"))]
    pub missing: String,
    #[crd(validation(rule = ""))]
    pub empty: String,
    #[crd(validation(rule = "self\n== 'a'"))]
    pub lines: String,
    #[crd(validation(rule = "self == 'a'", message = "a\nb"))]
    pub message: String,
    #[crd(validation(rule = "self == 'a'", reason = "Invalid"))]
    pub reason: String,
    #[crd(validation(rule = "self == 'a'", optional_old_self))]
    pub old_self: String,
}

fn main() {}
