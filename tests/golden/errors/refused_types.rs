//! Types of std, Kubernetes and other crates that are not supported in a CRD.

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
        pub contains_itself: CustomResourceDefinition,
        pub numbers: std::time::Duration,
        pub seconds: std::time::SystemTime,
        pub units: std::ffi::OsString,
        pub delta: chrono::TimeDelta,
        pub instant: time::OffsetDateTime,
        pub list: bytes::Bytes,
        pub depends: rust_decimal::Decimal,
        pub size: std::num::NonZero<u32>,
        pub wide: std::num::NonZeroI128,
        pub unstable: k8s_openapi::api::resource::v1beta1::DeviceClass,
    }
}
