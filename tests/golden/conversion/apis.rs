//! Conversion between versions by a webhook.

pub mod v2 {
    use genclient::prelude::*;

    #[genclient]
    #[group = "conversion.example.com"]
    #[crd(storage, conversion(webhook(service = "system/converter", path = "/convert", port = 8443, review_versions = ["v1"])))]
    pub struct Unit {
        pub metadata: ObjectMeta,
    }
}

pub mod v1 {
    use genclient::prelude::*;

    #[genclient]
    #[group = "conversion.example.com"]
    pub struct Unit {
        pub metadata: ObjectMeta,
    }
}
