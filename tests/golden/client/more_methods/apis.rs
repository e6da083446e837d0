//! More extension methods, with and without a subresource, an input and a result. In client-gen's
//! fakes, `apply` names the subresource after the input's type, `list` cannot have a subresource,
//! and `update` has a wrong default result. genclient generates no fakes.

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
