//! Enum variants that a structural schema cannot express.

pub mod v1 {
    use std::collections::BTreeMap;

    use genclient::prelude::*;

    #[genclient]
    #[group = "example.com"]
    pub struct Choice {
        pub metadata: ObjectMeta,
        pub mixed: Mixed,
        pub internal: Internal,
        pub untagged: Untagged,
        pub empty: Empty,
        pub same: Same,
        pub defaulted: Defaulted,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub enum Mixed {
        Point,
        Circle(i32),
        Line(i32, i32),
        Null(()),
        #[serde(with = "helper")]
        Opaque(i32),
        #[serde(alias = "old")]
        New {},
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    #[serde(tag = "type")]
    pub enum Internal {
        Scalar(i32),
        Maybe(Option<Side>),
        Map(BTreeMap<String, String>),
        Clash(Side),
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct Side {
        pub r#type: i32,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    #[serde(untagged)]
    pub enum Untagged {
        Nothing,
        Maybe(Option<i32>),
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub enum Empty {
        #[serde(skip)]
        Never,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    #[serde(rename_all = "lowercase")]
    pub enum Same {
        One,
        #[serde(rename = "one")]
        Another,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub enum Defaulted {
        A(Five),
        B(i32),
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    #[crd(default = 5)]
    pub struct Five(i32);
}
