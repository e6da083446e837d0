//! Flattened structs, enums and maps: their properties, their required fields, and alternatives of
//! fields that occur together.

pub mod v1 {
    use std::collections::BTreeMap;

    use genclient::prelude::*;
    use serde_json::Value;

    #[genclient]
    #[group = "flat.example.com"]
    pub struct Flat {
        pub metadata: ObjectMeta,
        pub spec: FlatSpec,
        pub any: AnyName,
        pub typed: TypedRest,
        pub value: ValueRest,
        pub generic: Wrapped<Limits>,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct FlatSpec {
        pub name: String,
        #[serde(flatten)]
        pub limits: Limits,
        #[serde(flatten)]
        pub place: Option<Place>,
        #[serde(flatten)]
        pub one: Option<One>,
        #[serde(flatten)]
        pub source: Source,
        #[serde(flatten)]
        pub target: Target,
        #[serde(flatten)]
        pub by_tag: Option<ByTag>,
    }

    /// Resource limits.
    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    #[crd(validation(rule = "self.cpu > 0", message = "needs a CPU"))]
    pub struct Limits {
        /// Number of CPUs.
        pub cpu: i32,
        #[serde(default)]
        pub memory: String,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct Place {
        #[crd(max_length = 63, immutable)]
        pub zone: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        #[crd(max_length = 63, immutable)]
        pub hall: Option<String>,
        pub rack: i32,
        #[serde(default = "shelf")]
        pub shelf: i32,
    }

    fn shelf() -> i32 {
        1
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct One {
        pub single: i32,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    #[serde(rename_all = "camelCase")]
    pub enum Source {
        Git { url: String },
        Image(String),
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    #[serde(untagged)]
    pub enum Target {
        Path { path: String },
        Pod { pod: String, container: String },
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    #[serde(tag = "mode")]
    pub enum ByTag {
        Fast { speed: i32 },
        Slow,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct AnyName {
        pub known: String,
        #[serde(flatten)]
        pub rest: BTreeMap<String, Value>,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct TypedRest {
        pub known: String,
        #[serde(flatten)]
        #[crd(preserve_unknown_fields)]
        pub rest: BTreeMap<String, String>,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct ValueRest {
        #[serde(flatten)]
        pub rest: Value,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct Wrapped<T> {
        pub version: String,
        #[serde(flatten)]
        pub inner: T,
    }
}
