//! Unknown, misplaced and malformed keys of `#[crd]` on a kind.
use genclient::prelude::*;

#[genclient]
#[group = "example.com"]
#[version = "v1"]
#[crd(shortnames = ["gt"])]
pub struct Unknown {
    pub metadata: ObjectMeta,
}

#[genclient]
#[group = "example.com"]
#[version = "v1"]
#[crd(namespaced)]
pub struct OfAnotherTool {
    pub metadata: ObjectMeta,
}

#[genclient]
#[group = "example.com"]
#[version = "v1"]
#[crd(no_status)]
pub struct OfGenclient {
    pub metadata: ObjectMeta,
}

#[genclient]
#[group = "example.com"]
#[version = "v1"]
#[crd]
pub struct NoKeys {
    pub metadata: ObjectMeta,
}

#[genclient]
#[group = "example.com"]
#[version = "v1"]
#[crd(storage unserved)]
pub struct MissingComma {
    pub metadata: ObjectMeta,
}

#[genclient]
#[group = "example.com"]
#[version = "v1"]
#[crd(plural =)]
pub struct MissingValue {
    pub metadata: ObjectMeta,
}

#[genclient]
#[group = "example.com"]
#[version = "v1"]
#[crd(optional)]
pub struct OfFields {
    pub metadata: ObjectMeta,
}

#[genclient]
#[group = "example.com"]
#[version = "v1"]
#[crd(minimum = 1)]
pub struct OfNumbers {
    pub metadata: ObjectMeta,
}

fn main() {}
