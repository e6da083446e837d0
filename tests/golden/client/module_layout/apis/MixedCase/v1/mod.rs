use genclient::prelude::*;

#[genclient]
#[group = "mixed.example.com"]
pub struct Mixed {
    pub metadata: ObjectMeta,
}
