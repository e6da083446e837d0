//! Invalid printer columns.
use genclient::prelude::*;

#[genclient]
#[group = "example.com"]
#[version = "v1"]
#[crd(printcolumn(name = "A", type = "int", json_path = ".spec.a"))]
pub struct OtherType {
    pub metadata: ObjectMeta,
}

#[genclient]
#[group = "example.com"]
#[version = "v1"]
#[crd(printcolumn(name = "A", type = "integer", json_path = "spec.a"))]
pub struct Path {
    pub metadata: ObjectMeta,
}

#[genclient]
#[group = "example.com"]
#[version = "v1"]
#[crd(printcolumn(name = "A", type = "integer", json_path = ".spec.a", priority = 3000000000))]
pub struct Priority {
    pub metadata: ObjectMeta,
}

fn main() {}
