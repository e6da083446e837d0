use genclient::prelude::*;

#[genclient]
#[group = "inline.example.com"]
pub struct Inline {
    pub metadata: ObjectMeta,
}
