//! `#[group]` above `#[genclient]`, where the compiler does not know the attribute.
use genclient::prelude::*;

#[group = "example.com"]
#[genclient]
#[version = "v1"]
pub struct GPUTask {
    pub metadata: ObjectMeta,
}

fn main() {}
