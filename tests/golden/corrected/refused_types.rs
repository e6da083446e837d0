//! Replacements for types of std, Kubernetes and other crates, and stated schemas.

pub mod v1 {
    use genclient::prelude::*;
    use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;

    #[genclient]
    #[group = "refused.example.com"]
    pub struct Thing {
        pub metadata: ObjectMeta,
        pub spec: ThingSpec,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct ThingSpec {
        #[crd(schema = { "type": "object", "x-kubernetes-preserve-unknown-fields": true })]
        pub contains_itself: CustomResourceDefinition,
        pub numbers: genclient::prelude::Duration,
        pub seconds: genclient::prelude::Time,
        pub units: String,
        pub delta: genclient::prelude::Duration,
        pub instant: genclient::prelude::Time,
        pub list: k8s_openapi::ByteString,
        #[crd(schema = { "type": "string" })]
        pub depends: rust_decimal::Decimal,
        pub size: std::num::NonZeroU32,
        pub wide: i64,
        #[crd(schema = { "type": "object" })]
        pub unstable: k8s_openapi::api::resource::v1beta1::DeviceClass,
    }
}
