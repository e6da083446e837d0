//! Invalid extension methods (client-gen accepts `verb=explode` and writes invalid Go).

pub mod v1 {
    use genclient::prelude::*;

    #[genclient(
        method(name = "explode", verb = "explode"),
        method(name = "watch_it", verb = "watch"),
        method(name = "getScale", verb = "get"),
        method(name = "get", verb = "get"),
        method(verb = "get"),
        method(name = "read", verb = "get", input = "Robot"),
        method(name = "mode", verb = "get", result = "not a path"),
        method(name = "load", verb = "get", mode = "fast")
    )]
    #[group = "example.com"]
    pub struct Robot {
        pub metadata: ObjectMeta,
    }
}
