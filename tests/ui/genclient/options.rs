//! Contradictory options, and options that leave nothing to generate.
use genclient::prelude::*;

#[genclient(non_namespaced)]
#[group = "example.com"]
#[version = "v1"]
#[crd(scope = "Namespaced")]
pub struct BothScopes {
    pub metadata: ObjectMeta,
}

#[genclient(skip_crd, skip_client)]
#[group = "example.com"]
#[version = "v1"]
pub struct NothingLeft {
    pub metadata: ObjectMeta,
}

#[genclient(skip_client, readonly)]
#[group = "example.com"]
#[version = "v1"]
pub struct NoClientToLimit {
    pub metadata: ObjectMeta,
}

fn main() {}
