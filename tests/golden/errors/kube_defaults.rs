//! A default that only the running program knows.

pub mod v1 {
    #[derive(kube::CustomResource, Deserialize, Serialize, JsonSchema)]
    #[kube(group = "a.example.com", version = "v1", kind = "Clock")]
    pub struct ClockSpec {
        #[serde(default = "now")]
        pub start: i64,
        #[serde(default)]
        pub zone: Zone,
        #[schemars(default = "now")]
        pub end: i64,
    }

    fn now() -> i64 {
        clock::seconds()
    }

    #[derive(Deserialize, Serialize, JsonSchema)]
    pub struct Zone {
        pub name: String,
    }

    impl Default for Zone {
        fn default() -> Self {
            clock::zone()
        }
    }
}
