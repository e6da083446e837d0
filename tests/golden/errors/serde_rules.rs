//! serde attributes that are invalid, or that a CRD cannot express.

pub mod v1 {
    use genclient::prelude::*;
    use std::collections::BTreeMap;

    #[genclient]
    #[group = "example.com"]
    pub struct Rules {
        pub metadata: ObjectMeta,
        pub cased: Cased,
        pub shouted: Shouted,
        pub styled: Styled,
        #[serde(alias = "old")]
        pub new: String,
        #[serde(rename(serialize = "a", deserialize = "b"))]
        pub two: String,
        #[serde(default = "elsewhere::value")]
        pub computed: String,
        #[serde(default = "now")]
        pub called: String,
        #[serde(with = "module")]
        pub with: String,
        #[serde(flatten)]
        pub rest: BTreeMap<String, String>,
        #[crd(optional)]
        pub needed: String,
    }

    fn now() -> String {
        format!("{}", 1)
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    #[serde(rename_all = "camelcase")]
    pub struct Cased {
        #[serde(getter = "Cased::first_name")]
        pub first_name: String,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    #[serde(rename_all = "uppercase")]
    pub struct Shouted {
        pub first_name: String,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    #[serde(rename_all = "dromedary")]
    pub struct Styled {
        pub first_name: String,
    }
}
