//! Of kube's types a CRD has the defaults that schemars would have put there.

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
        /// Absent is `None`.
        #[serde(default)]
        pub note: Option<String>,
        /// What serde leaves out is no default.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        pub shelves: Vec<String>,
        #[serde(default)]
        pub labels: BTreeMap<String, String>,
        /// The API server fills it in, serde does not.
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

    /// A default of the whole type.
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

    /// A type that says itself what its CRD has.
    #[derive(Clone, Debug, Default, Deserialize, Serialize, JsonSchema, CrdSchema)]
    pub struct Ours {
        #[serde(default)]
        pub plain: bool,
    }

    /// A default that is written for the schema alone.
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
