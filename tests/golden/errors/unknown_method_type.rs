//! Extension methods with unknown input and result types.

pub mod v1 {
    use genclient::prelude::*;

    #[genclient(
        method(name = "put", verb = "update", subresource = "scale", input = "Scale", result = "super::v2::Scale")
    )]
    #[group = "example.com"]
    pub struct Robot {
        pub metadata: ObjectMeta,
    }
}
