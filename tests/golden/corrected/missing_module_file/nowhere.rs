use genclient::prelude::*;

#[genclient]
#[group = "example.com"]
#[version = "v1"]
pub struct Nowhere {
    pub metadata: ObjectMeta,
}
