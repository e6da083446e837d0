//! Types, fields and defaults whose serialized form is unknown or not supported in a CRD.

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
        pub written: String,
        #[serde_as(as = "DisplayFromStr")]
        pub shown: i32,
        #[serde(skip_serializing)]
        pub never_written: String,
        #[serde(skip_serializing_if = "String::is_empty")]
        pub left_out: String,
        #[serde(default = "computed")]
        pub computed: Limits,
        #[serde(default = "round")]
        pub round: i32,
        #[serde(default = "converted")]
        pub converted: Half,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    #[serde(from = "String")]
    pub struct Half {
        pub a: i32,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    #[serde(try_from = "String", into = "i32")]
    pub enum Two {
        A(i32),
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    #[serde(remote = "elsewhere::Type")]
    pub struct Remote {
        pub a: i32,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct Unit;

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct Pair(pub i32, pub i32);

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
