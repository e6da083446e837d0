//! The compiler reads from the top: what stands above `#[genclient]` is not its own.
use genclient::prelude::*;

#[group = "example.com"]
#[genclient]
#[version = "v1"]
pub struct GPUTask {
    pub metadata: ObjectMeta,
}

fn main() {}
