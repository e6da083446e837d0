//! serde attributes that are valid, and that a CRD can express.

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
        pub new: String,
        #[serde(rename = "a")]
        pub two: String,
        #[serde(default = "elsewhere::value")]
        #[crd(default = "a")]
        pub computed: String,
        #[serde(default = "now")]
        #[crd(no_default)]
        pub called: String,
        #[serde(with = "module")]
        #[crd(schema = { "type": "string" })]
        pub with: String,
        pub rest: BTreeMap<String, String>,
        #[crd(optional)]
        pub needed: Option<String>,
    }

    fn now() -> String {
        format!("{}", 1)
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    #[serde(rename_all = "camelCase")]
    pub struct Cased {
        pub first_name: String,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    #[serde(rename_all = "UPPERCASE")]
    pub struct Shouted {
        pub first_name: String,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    #[serde(rename_all = "snake_case")]
    pub struct Styled {
        pub first_name: String,
    }
}
