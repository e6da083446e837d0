//! `skip_crd`: only the client. The schema of such a type need not be known, nor its group have a dot.

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
