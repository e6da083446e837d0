use genclient::prelude::*;

#[genclient]
#[group = "moved.example.com"]
pub struct Moved {
    pub metadata: ObjectMeta,
}
