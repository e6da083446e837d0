use genclient::prelude::*;

#[genclient]
#[group = "beside.example.com"]
pub struct Beside {
    pub metadata: ObjectMeta,
}
