//! Flattened fields that a structural schema cannot express.

pub mod v1 {
    use std::collections::BTreeMap;

    use genclient::prelude::*;

    #[genclient]
    #[group = "example.com"]
    pub struct Rules {
        pub metadata: ObjectMeta,
        pub name: String,
        #[serde(flatten)]
        pub same_name: Named,
        #[serde(flatten)]
        pub rest: BTreeMap<String, String>,
        #[serde(flatten)]
        pub list: Vec<String>,
        #[serde(flatten)]
        pub names: Names,
        #[serde(flatten)]
        #[crd(max_properties = 3)]
        pub bounded: Limits,
        #[serde(flatten)]
        #[crd(max_properties = 16, keys(max_length = 8), values(minimum = 1))]
        pub ovens: BTreeMap<String, i64>,
        #[serde(flatten)]
        #[crd(min_properties = 1, max_properties = 3)]
        pub both: Both,
        #[serde(flatten)]
        #[crd(min_properties = 1)]
        pub least: Least,
        #[serde(flatten)]
        #[crd(title = "Sizes")]
        pub titled: Sizes,
        #[serde(flatten)]
        pub ruled: Option<Ruled>,
        pub second: Second,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct Named {
        pub name: i32,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub enum Names {
        A,
        B,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct Limits {
        pub cpu: i32,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct Both {
        pub first: i32,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct Least {
        pub last: i32,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct Sizes {
        pub width: i32,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    #[crd(validation(rule = "self.mem > 1"))]
    pub struct Ruled {
        pub mem: i32,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct Second {
        #[serde(flatten)]
        pub bounded: Bounded,
        #[serde(flatten)]
        pub limits: Limits,
        #[serde(rename = "cpu")]
        pub again: String,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    #[crd(min_properties = 1)]
    pub struct Bounded {
        pub a: Option<i32>,
    }
}
