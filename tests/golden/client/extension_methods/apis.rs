//! Methods of the subresource `scale` and `token`, as client-go has them.

pub mod v1 {
    use genclient::prelude::*;
    use k8s_openapi::api::authentication::v1::TokenRequest;
    pub use k8s_openapi::api::autoscaling::v1::Scale;

    /// Keeps the import that the methods are named by.
    pub type Token = TokenRequest;

    #[genclient(
        method(
            name = "get_scale",
            verb = "get",
            subresource = "scale",
            result = "Scale"
        ),
        method(
            name = "update_scale",
            verb = "update",
            subresource = "scale",
            input = "Scale",
            result = "Scale"
        ),
        method(
            name = "create_token",
            verb = "create",
            subresource = "token",
            input = "TokenRequest",
            result = "TokenRequest"
        )
    )]
    #[group = "robots.example.com"]
    pub struct Robot {
        pub metadata: ObjectMeta,
    }
}
