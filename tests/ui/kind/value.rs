//! Invalid and duplicate kinds.
use genclient::prelude::*;

#[genclient]
#[group = "example.com"]
#[version = "v1"]
#[kind = "gpuTask"]
pub struct LowerCase {
    pub metadata: ObjectMeta,
}

#[genclient]
#[group = "example.com"]
#[version = "v1"]
pub struct With_Underscore {
    pub metadata: ObjectMeta,
}

#[genclient]
#[group = "example.com"]
#[version = "v1"]
#[kind = "A"]
#[kind = "B"]
pub struct Twice {
    pub metadata: ObjectMeta,
}

fn main() {}
