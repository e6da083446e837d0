//! `skip_client`: only the CRD. Nothing else has a client here, so no client module is written.

pub mod v1 {
    use genclient::prelude::*;

    #[genclient(skip_client)]
    #[group = "config.example.com"]
    pub struct Settings {
        pub metadata: ObjectMeta,
        pub spec: SettingsSpec,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct SettingsSpec {
        pub level: i32,
    }
}
