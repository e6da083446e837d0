use genclient::prelude::*;

#[genclient(
    method(name = "get_applied", verb = "get"),
    method(name = "get_applied_status", verb = "get")
)]
#[group = "robots.example.com"]
#[version = "v1"]
pub struct Robot {
    pub metadata: ObjectMeta,
    #[crd(preserve_unknown_fields, type = "object")]
    pub status: Option<()>,
}
