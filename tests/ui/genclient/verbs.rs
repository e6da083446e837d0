//! Unknown verbs, and contradictory verb options.
use genclient::prelude::*;

#[genclient(skip_verbs = ["deleteCollection", "explode"])]
#[group = "example.com"]
#[version = "v1"]
pub struct Misspelt {
    pub metadata: ObjectMeta,
}

#[genclient(only_verbs = "get")]
#[group = "example.com"]
#[version = "v1"]
pub struct NoList {
    pub metadata: ObjectMeta,
}

#[genclient(only_verbs = ["get", "get"])]
#[group = "example.com"]
#[version = "v1"]
pub struct ListedTwice {
    pub metadata: ObjectMeta,
}

#[genclient(only_verbs = [])]
#[group = "example.com"]
#[version = "v1"]
pub struct NoneListed {
    pub metadata: ObjectMeta,
}

#[genclient(only_verbs = ["get"], skip_verbs = ["list"])]
#[group = "example.com"]
#[version = "v1"]
pub struct OnlyAndSkip {
    pub metadata: ObjectMeta,
}

#[genclient(no_verbs, readonly)]
#[group = "example.com"]
#[version = "v1"]
pub struct NoneAndReadonly {
    pub metadata: ObjectMeta,
}

#[genclient(only_verbs = ["update_status"])]
#[group = "example.com"]
#[version = "v1"]
pub struct WithoutStatus {
    pub metadata: ObjectMeta,
}

#[genclient(no_status, only_verbs = ["apply_status"])]
#[group = "example.com"]
#[version = "v1"]
pub struct NoStatus {
    pub metadata: ObjectMeta,
    pub status: Option<u8>,
}

fn main() {}
