//! A group whose first label starts with a digit, and a version that is not one of Kubernetes' scheme.

use genclient::prelude::*;

#[genclient]
#[group = "3scale.example.com"]
#[version = "alpha-1"]
pub struct Proxy {
    pub metadata: ObjectMeta,
}
