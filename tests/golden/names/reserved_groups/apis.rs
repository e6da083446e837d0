//! Groups named like crates, keywords, and modules of the generated client.

pub mod v1 {
    use genclient::prelude::*;

    #[genclient]
    #[group = "genclient.example.com"]
    pub struct One {
        pub metadata: ObjectMeta,
    }

    #[genclient]
    #[group = "std.example.com"]
    pub struct Two {
        pub metadata: ObjectMeta,
    }

    #[genclient]
    #[group = "clientset.example.com"]
    pub struct Three {
        pub metadata: ObjectMeta,
    }

    #[genclient]
    #[group = "crate.example.com"]
    pub struct Four {
        pub metadata: ObjectMeta,
    }

    #[genclient]
    #[group = "core.example.com"]
    pub struct Five {
        pub metadata: ObjectMeta,
    }
}
