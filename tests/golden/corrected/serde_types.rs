//! Types, fields and defaults whose serialized form is known, or that state it.

pub mod v1 {
    use genclient::prelude::*;

    #[genclient]
    #[group = "example.com"]
    pub struct Rules {
        pub metadata: ObjectMeta,
        pub half: Half,
        pub two: Two,
        pub remote: Remote,
        pub unit: Unit,
        pub pair: Pair,
        #[serde(serialize_with = "write")]
        #[crd(schema = { "type": "string" })]
        pub written: String,
        #[serde_as(as = "DisplayFromStr")]
        #[crd(schema = { "type": "string" })]
        pub shown: i32,
        #[serde(skip_serializing, default)]
        pub never_written: String,
        #[serde(skip_serializing_if = "String::is_empty", default)]
        pub left_out: String,
        #[serde(default = "computed")]
        #[crd(default = { "cpu": 3 })]
        pub computed: Limits,
        #[serde(default = "round")]
        #[crd(no_default)]
        pub round: i32,
        #[serde(default = "converted")]
        #[crd(no_default)]
        pub converted: Half,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    #[serde(from = "String", into = "String")]
    pub struct Half {
        pub a: i32,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    #[serde(try_from = "String", into = "String")]
    pub enum Two {
        A(i32),
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    #[serde(remote = "elsewhere::Type")]
    #[crd(schema = { "type": "object" })]
    pub struct Remote {
        pub a: i32,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct Unit {}

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct Pair {
        pub left: i32,
        pub right: i32,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct Limits {
        pub cpu: i32,
    }

    fn computed() -> Limits {
        Limits { cpu: limit(3) }
    }

    fn round() -> i32 {
        round()
    }

    fn converted() -> Half {
        "x".into()
    }
}
