//! `skip_crd`: only a client. The schema of the type may be unknown, and the group may lack a dot.

pub mod v1 {
    use genclient::prelude::*;

    #[genclient(skip_crd)]
    #[group = "apps"]
    pub struct Release {
        pub metadata: ObjectMeta,
        pub spec: serde_json::Map<String, serde_json::Value>,
    }

    #[genclient]
    #[group = "apps.example.com"]
    pub struct Unseen {
        pub metadata: ObjectMeta,
    }
}
