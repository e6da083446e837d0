//! Invalid API versions, and `#[version]` on a field.
use genclient::prelude::*;

#[genclient]
#[group = "example.com"]
#[version = "v1.0"]
pub struct NoLabel {
    pub metadata: ObjectMeta,
}

#[genclient]
#[group = "example.com"]
#[version = 1]
pub struct Number {
    pub metadata: ObjectMeta,
}

#[genclient]
#[group = "example.com"]
#[version = "v1"]
pub struct OnAField {
    pub metadata: ObjectMeta,
    #[version = "v1"]
    pub spec: u8,
}

fn main() {}
