//! `skip_client`: only a CRD. There is no client module, because no other kind has a client.

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
