//! Missing, invalid and duplicate API groups.
use genclient::prelude::*;

#[genclient]
#[version = "v1"]
pub struct Missing {
    pub metadata: ObjectMeta,
}

#[genclient]
#[group]
#[version = "v1"]
pub struct NoString {
    pub metadata: ObjectMeta,
}

#[genclient]
#[group = "Example.com"]
#[version = "v1"]
pub struct UpperCase {
    pub metadata: ObjectMeta,
}

#[genclient]
#[group = "falldio"]
#[version = "v1"]
pub struct WithoutDot {
    pub metadata: ObjectMeta,
}

#[genclient]
#[group = ""]
#[version = "v1"]
pub struct Core {
    pub metadata: ObjectMeta,
}

#[genclient(group = "example.com")]
#[group = "example.com"]
#[version = "v1"]
pub struct Twice {
    pub metadata: ObjectMeta,
}

fn main() {}
