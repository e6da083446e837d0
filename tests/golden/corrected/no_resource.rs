//! An API module with a kind.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

#[genclient]
#[group = "example.com"]
#[version = "v1"]
pub struct Forgotten {
    pub metadata: ObjectMeta,
    pub name: String,
}
