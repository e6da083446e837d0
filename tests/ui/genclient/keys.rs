//! Unknown, misplaced, malformed and duplicate keys of `#[genclient]`.
use genclient::prelude::*;

#[genclient(no_statu)]
#[group = "example.com"]
#[version = "v1"]
pub struct Unknown {
    pub metadata: ObjectMeta,
}

#[genclient(plural = "tasks")]
#[group = "example.com"]
#[version = "v1"]
pub struct OfCrd {
    pub metadata: ObjectMeta,
}

#[genclient(no_status = true)]
#[group = "example.com"]
#[version = "v1"]
pub struct FlagWithValue {
    pub metadata: ObjectMeta,
}

#[genclient(readonly, readonly)]
#[group = "example.com"]
#[version = "v1"]
pub struct Repeated {
    pub metadata: ObjectMeta,
}

fn main() {}
