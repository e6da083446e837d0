//! Defaults that are written out.

pub mod v1 {
    #[derive(kube::CustomResource, Deserialize, Serialize, JsonSchema, CrdSchema)]
    #[kube(group = "a.example.com", version = "v1", kind = "Clock")]
    pub struct ClockSpec {
        #[serde(default = "now")]
        #[schemars(extend("default" = 1))]
        pub start: i64,
        #[serde(default)]
        #[crd(default = { "name": "utc" })]
        pub zone: Zone,
        #[schemars(default = "now")]
        #[crd(no_default)]
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
