//! Extension methods with known input and result types.

pub mod v1 {
    use genclient::prelude::*;
    use k8s_openapi::api::autoscaling::v1::Scale;

    #[genclient(method(
        name = "put",
        verb = "update",
        subresource = "scale",
        input = "Scale",
        result = "k8s_openapi::api::autoscaling::v1::Scale"
    ))]
    #[group = "example.com"]
    pub struct Robot {
        pub metadata: ObjectMeta,
    }
}
