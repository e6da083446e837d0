//! Flattened fields that a structural schema can express, next to fields that are not flattened.

pub mod v1 {
    use std::collections::BTreeMap;

    use genclient::prelude::*;

    #[genclient]
    #[group = "example.com"]
    #[crd(validation(rule = "!has(self.mem) || self.mem > 1"))]
    pub struct Rules {
        pub metadata: ObjectMeta,
        pub name: String,
        #[serde(flatten)]
        pub same_name: Named,
        pub rest: BTreeMap<String, String>,
        pub list: Vec<String>,
        pub names: Names,
        #[serde(flatten)]
        pub bounded: Limits,
        #[serde(flatten)]
        pub titled: Sizes,
        #[crd(max_properties = 16, keys(max_length = 8), values(minimum = 1))]
        pub ovens: BTreeMap<String, i64>,
        #[serde(flatten)]
        pub both: Both,
        #[serde(flatten)]
        pub least: Least,
        #[serde(flatten)]
        pub ruled: Option<Ruled>,
        pub second: Second,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct Named {
        pub number: i32,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub enum Names {
        A,
        B,
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
    pub struct Limits {
        pub cpu: i32,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    #[crd(title = "Sizes")]
    pub struct Sizes {
        pub width: i32,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct Ruled {
        pub mem: i32,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct Second {
        #[serde(flatten)]
        pub bounded: Bounded,
        #[serde(flatten)]
        pub limits: Limits,
        #[serde(rename = "cpuAgain")]
        pub again: String,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct Bounded {
        pub a: Option<i32>,
    }
}
