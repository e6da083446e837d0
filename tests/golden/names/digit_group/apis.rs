//! Group whose first label starts with a digit, and a version that is not named like Kubernetes'
//! versions (`v1`, `v1beta1`).

use genclient::prelude::*;

#[genclient]
#[group = "3scale.example.com"]
#[version = "alpha-1"]
pub struct Proxy {
    pub metadata: ObjectMeta,
}
