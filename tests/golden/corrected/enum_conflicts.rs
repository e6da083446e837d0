//! Enum variants that one structural schema can combine.

pub mod v1 {
    use std::collections::BTreeMap;

    use genclient::prelude::*;

    #[genclient]
    #[group = "example.com"]
    pub struct Choice {
        pub metadata: ObjectMeta,
        pub types: Types,
        pub nested: Nested,
        pub content: Content,
        pub untagged: Untagged,
        pub boolean: Boolean,
        pub defaulted: Defaulted,
        pub rules: Rules,
        pub values: Values,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    #[serde(tag = "type")]
    pub enum Types {
        A { size: i32 },
        B { size: i32 },
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    #[serde(tag = "type")]
    pub enum Nested {
        A { at: Text },
        B { number: Number },
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct Text {
        pub x: Vec<String>,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct Number {
        pub x: Vec<i32>,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub enum Content {
        A(i32),
        B(Text),
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub enum Untagged {
        One(String),
        Many(Vec<String>),
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    #[serde(untagged)]
    #[crd(schema = { "x-kubernetes-preserve-unknown-fields": true })]
    pub enum Boolean {
        Flag(bool),
        Text(String),
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    #[serde(tag = "type")]
    pub enum Defaulted {
        A {
            #[serde(default)]
            size: i32,
        },
        B,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    #[serde(tag = "type")]
    #[crd(validation(rule = "!has(self.x) || self.x.size() > 0"))]
    pub enum Rules {
        A(Ruled),
        B,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct Ruled {
        pub x: String,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    #[serde(tag = "type")]
    pub enum Values {
        A { map: BTreeMap<String, i32> },
        B { map: BTreeMap<String, i32> },
    }
}
