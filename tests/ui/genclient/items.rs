//! Items that cannot be served: anything but a struct with named fields and without generics.
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
