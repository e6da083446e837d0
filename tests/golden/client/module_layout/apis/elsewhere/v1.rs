use genclient::prelude::*;

#[genclient]
#[group = "inline.example.com"]
pub struct Foldered {
    pub metadata: ObjectMeta,
}
