//! Enum variants that a structural schema can express.

pub mod v1 {
    use std::collections::BTreeMap;

    use genclient::prelude::*;

    #[genclient]
    #[group = "example.com"]
    pub struct Choice {
        pub metadata: ObjectMeta,
        pub mixed: Mixed,
        pub internal: Internal,
        pub untagged: Option<Untagged>,
        pub empty: Empty,
        pub same: Same,
        #[crd(default = { "A": 5 })]
        pub defaulted: Defaulted,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub enum Mixed {
        Point {},
        Circle(i32),
        Line { from: i32, to: i32 },
        Null {},
        Opaque(
            #[serde(with = "helper")]
            #[crd(schema = { "type": "integer" })]
            i32,
        ),
        New {},
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    #[serde(tag = "kind")]
    pub enum Internal {
        Scalar { scalar: i32 },
        Maybe { maybe: Option<Side> },
        Map { map: BTreeMap<String, String> },
        Clash(Side),
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct Side {
        pub r#type: i32,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    #[serde(untagged)]
    pub enum Untagged {
        Maybe(i32),
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub enum Empty {
        #[serde(skip)]
        Never,
        Always,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    #[serde(rename_all = "lowercase")]
    pub enum Same {
        One,
        #[serde(rename = "another")]
        Another,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub enum Defaulted {
        A(Five),
        B(i32),
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct Five(i32);
}
