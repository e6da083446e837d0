//! Structs that cannot be kinds: tuple structs, generic and transparent structs.
use genclient::prelude::*;

#[genclient]
#[group = "example.com"]
#[version = "v1"]
pub struct Tuple(ObjectMeta);

#[genclient]
#[group = "example.com"]
#[version = "v1"]
pub struct Generic<T> {
    pub metadata: ObjectMeta,
    pub spec: T,
}

#[genclient]
#[group = "example.com"]
#[version = "v1"]
#[serde(transparent)]
pub struct Transparent {
    pub metadata: ObjectMeta,
}

fn main() {}
