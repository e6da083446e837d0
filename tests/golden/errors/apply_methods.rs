use genclient::prelude::*;

#[genclient(
    method(name = "apply_with", verb = "get"),
    method(name = "apply_status_with", verb = "get")
)]
#[group = "robots.example.com"]
#[version = "v1"]
pub struct Robot {
    pub metadata: ObjectMeta,
    #[crd(preserve_unknown_fields, type = "object")]
    pub status: Option<()>,
}
