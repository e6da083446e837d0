//! Invalid, duplicate and too many selectable fields.
use genclient::prelude::*;

#[genclient]
#[group = "example.com"]
#[version = "v1"]
#[crd(selectable_field = ".metadata.name")]
pub struct OfMetadata {
    pub metadata: ObjectMeta,
}

#[genclient]
#[group = "example.com"]
#[version = "v1"]
#[crd(selectable_field = ".spec.a", selectable_field = ".spec.a")]
pub struct Twice {
    pub metadata: ObjectMeta,
}

#[genclient]
#[group = "example.com"]
#[version = "v1"]
#[crd(selectable_field = ".spec.a", selectable_field = ".spec.b", selectable_field = ".spec.c", selectable_field = ".spec.d", selectable_field = ".spec.e", selectable_field = ".spec.f", selectable_field = ".spec.g", selectable_field = ".spec.h", selectable_field = ".spec.i")]
pub struct TooMany {
    pub metadata: ObjectMeta,
}

fn main() {}
