//! Missing and invalid paths of the scale subresource.
use genclient::prelude::*;

#[genclient]
#[group = "example.com"]
#[version = "v1"]
#[crd(scale(spec_replicas_path = ".spec.replicas"))]
pub struct Missing {
    pub metadata: ObjectMeta,
}

#[genclient]
#[group = "example.com"]
#[version = "v1"]
#[crd(scale(spec_replicas_path = ".status.replicas", status_replicas_path = ".status.replicas"))]
pub struct Elsewhere {
    pub metadata: ObjectMeta,
}

fn main() {}
