//! Invalid values for deprecation and conversion webhooks.
use genclient::prelude::*;

#[genclient]
#[group = "example.com"]
#[version = "v1"]
#[crd(deprecated = true)]
pub struct DeprecatedFlag {
    pub metadata: ObjectMeta,
}

#[genclient]
#[group = "example.com"]
#[version = "v1"]
#[crd(conversion(webhook(service = "webhook", review_versions = ["v1"])))]
pub struct Service {
    pub metadata: ObjectMeta,
}

#[genclient]
#[group = "example.com"]
#[version = "v1"]
#[crd(conversion(webhook(service = "ns/webhook", path = "convert", review_versions = ["v1"])))]
pub struct Path {
    pub metadata: ObjectMeta,
}

#[genclient]
#[group = "example.com"]
#[version = "v1"]
#[crd(conversion(webhook(service = "ns/webhook", port = 0, review_versions = ["v1"])))]
pub struct Port {
    pub metadata: ObjectMeta,
}

fn main() {}
