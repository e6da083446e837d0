use genclient::prelude::*;

#[genclient]
#[group = "example.com"]
#[version = "v1"]
pub struct Three {
    pub metadata: ObjectMeta,
}
