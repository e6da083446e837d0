//! Invalid annotations and labels of a CRD.
use genclient::prelude::*;

#[genclient]
#[group = "example.com"]
#[version = "v1"]
#[crd(annotation("a b", "x"))]
pub struct AnnotationKey {
    pub metadata: ObjectMeta,
}

#[genclient]
#[group = "example.com"]
#[version = "v1"]
#[crd(annotation("a"))]
pub struct WithoutValue {
    pub metadata: ObjectMeta,
}

#[genclient]
#[group = "example.com"]
#[version = "v1"]
#[crd(label("a", "x y"))]
pub struct LabelValue {
    pub metadata: ObjectMeta,
}

#[genclient]
#[group = "example.com"]
#[version = "v1"]
#[crd(label("a", "x"), label("a", "y"))]
pub struct LabelTwice {
    pub metadata: ObjectMeta,
}

fn main() {}
