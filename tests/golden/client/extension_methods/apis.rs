//! Extension methods for the subresources `scale` and `token`, as in client-go.

pub mod v1 {
    use genclient::prelude::*;
    use k8s_openapi::api::authentication::v1::TokenRequest;
    pub use k8s_openapi::api::autoscaling::v1::Scale;

    /// Uses the import `TokenRequest`, which otherwise only attributes name.
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
