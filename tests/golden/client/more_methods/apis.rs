//! More methods. client-gen's fakes name the subresource of `apply` by the input's type (bug g), and have no `list` of a subresource and
//! the wrong default for `update` (bug h); there are no fakes here, and each method names its own subresource, input and result.

pub mod v1 {
    use genclient::prelude::*;
    #[genclient(
        method(
            name = "apply_limits",
            verb = "apply",
            subresource = "limits",
            input = "Limits"
        ),
        method(name = "patch_limits", verb = "patch", subresource = "limits"),
        method(
            name = "update_mode",
            verb = "update",
            subresource = "mode",
            input = "Limits",
            result = "super::v1::Mode"
        ),
        method(
            name = "list_modes",
            verb = "list",
            subresource = "mode",
            result = "Mode"
        ),
        method(name = "list_limits", verb = "list", result = "Limits"),
        method(name = "create_limits", verb = "create", input = "Limits")
    )]
    #[group = "robots.example.com"]
    pub struct Robot {
        pub metadata: ObjectMeta,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct Limits(pub i32);

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct Mode(pub String);
}
