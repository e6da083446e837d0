//! Defaults of types with kube's derive: the CRD has those that schemars would add.

pub mod v1 {
    use std::collections::BTreeMap;

    use genclient::prelude::CrdSchema;
    use kube::CustomResource;
    use schemars::JsonSchema;
    use serde::{Deserialize, Serialize};

    #[derive(CustomResource, Clone, Debug, Deserialize, Serialize, JsonSchema)]
    #[kube(group = "defaults.example.com", version = "v1", kind = "Kiln")]
    pub struct KilnSpec {
        #[serde(default)]
        pub on: bool,
        #[serde(default = "usual")]
        pub degrees: i32,
        #[serde(default)]
        pub fuel: Fuel,
        #[serde(default)]
        pub limits: Limits,
        /// No default: an absent field is `None`.
        #[serde(default)]
        pub note: Option<String>,
        /// No default, because serde skips the default value.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        pub shelves: Vec<String>,
        #[serde(default)]
        pub labels: BTreeMap<String, String>,
        /// Default that the API server sets, and serde does not.
        #[schemars(default = "usual")]
        pub hours: i32,
        #[serde(default)]
        pub ours: Ours,
        pub stated: Stated,
    }

    fn usual() -> i32 {
        7
    }

    #[derive(Clone, Debug, Default, Deserialize, Serialize, JsonSchema)]
    pub enum Fuel {
        #[default]
        Wood,
        Gas,
    }

    /// Struct with a default as a whole.
    #[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
    #[serde(default)]
    pub struct Limits {
        pub least: i32,
        pub most: i32,
    }

    impl Default for Limits {
        fn default() -> Self {
            Self {
                least: 100,
                most: 1200,
            }
        }
    }

    /// Type with a derived `CrdSchema`, so without the defaults of schemars.
    #[derive(Clone, Debug, Default, Deserialize, Serialize, JsonSchema, CrdSchema)]
    pub struct Ours {
        #[serde(default)]
        pub plain: bool,
    }

    /// Struct with a default that only the schema states.
    #[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
    pub struct Stated {
        #[serde(default = "Stated::counted")]
        #[schemars(extend("default" = 3))]
        pub count: i32,
    }

    impl Stated {
        fn counted() -> i32 {
            i32::try_from("abc".len()).unwrap_or_default()
        }
    }
}
