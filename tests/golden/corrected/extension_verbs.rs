//! Valid extension methods.

pub mod v1 {
    use genclient::prelude::*;

    #[genclient(
        method(name = "explode", verb = "create"),
        method(name = "watch_it", verb = "update"),
        method(name = "get_scale", verb = "get"),
        method(name = "get_again", verb = "get"),
        method(name = "look", verb = "get"),
        method(name = "read", verb = "get"),
        method(name = "mode", verb = "get", result = "crate::apis::v1::Scale"),
        method(name = "load", verb = "get", subresource = "fast")
    )]
    #[group = "example.com"]
    pub struct Robot {
        pub metadata: ObjectMeta,
    }
}
