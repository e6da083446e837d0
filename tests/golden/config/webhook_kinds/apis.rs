use genclient::prelude::*;

#[genclient]
#[group = "example.com"]
#[version = "v1"]
pub struct Task {
    pub metadata: ObjectMeta,
}
