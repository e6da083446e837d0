//! Conversions with a webhook, of a public type, and with known webhook arguments.
use genclient::conversion::Spoke;

pub mod v1 {
    use genclient::prelude::*;

    #[genclient]
    #[group = "example.com"]
    #[crd(storage)]
    #[crd(conversion(webhook(service = "namespace/name")))]
    pub struct Task {
        pub metadata: ObjectMeta,
    }

    #[genclient]
    #[group = "example.com"]
    #[crd(storage, conversion(webhook(service = "system/webhook", review_versions = ["v1"])))]
    #[crd(annotation("cert-manager.io/inject-ca-from", "system/webhook"))]
    pub struct Job {
        pub metadata: ObjectMeta,
    }

    #[genclient]
    #[group = "example.com"]
    #[crd(storage, conversion(webhook(url = "https://127.0.0.1:9443/convert")))]
    pub struct Run {
        pub metadata: ObjectMeta,
    }
}

pub mod v1alpha1 {
    use genclient::prelude::*;

    #[genclient]
    #[group = "example.com"]
    pub struct Task {
        pub metadata: ObjectMeta,
    }

    #[genclient(skip_client)]
    #[group = "example.com"]
    pub struct Job {
        pub metadata: ObjectMeta,
    }

    #[genclient]
    #[group = "example.com"]
    pub struct Run {
        pub metadata: ObjectMeta,
    }
}

impl Spoke for v1alpha1::Task {
    type Hub = v1::Task;
}

impl Spoke for v1alpha1::Job {
    type Hub = v1::Job;
}

impl Spoke for v1alpha1::Run {
    type Hub = v1::Run;
}
