//! Two `#[genclient]` attributes on one struct.
use genclient::prelude::*;

#[genclient(readonly)]
#[genclient(no_status)]
#[group = "example.com"]
#[version = "v1"]
pub struct GPUTask {
    pub metadata: ObjectMeta,
}

fn main() {}
