//! API types in one file without modules, with versions in attributes.

use genclient::prelude::*;

#[genclient]
#[group = "single.example.com"]
#[version = "v1"]
pub struct Solo {
    pub metadata: ObjectMeta,
}

#[genclient(group = "single.example.com", version = "v1", kind = "Duet")]
pub struct TwoOfThem {
    pub metadata: ObjectMeta,
}
