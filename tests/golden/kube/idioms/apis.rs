//! Idioms of operators built on kube.

pub mod v1 {
    use std::borrow::Cow;
    use std::collections::BTreeMap;
    use std::time::Duration;

    use k8s_openapi::api::core::v1::ResourceRequirements;
    use kube::CustomResource;
    use schemars::{JsonSchema, Schema, SchemaGenerator};
    use serde::{Deserialize, Deserializer, Serialize};

    const KIBI: u64 = 1 << 10;

    #[derive(CustomResource, Clone, Debug, Deserialize, Serialize, JsonSchema)]
    #[kube(
        group = "idioms.example.com",
        version = "v1",
        kind = "Forge",
        namespaced
    )]
    pub struct ForgeSpec {
        /// Default computed from constants.
        #[serde(default = "most")]
        pub max_bytes: u64,
        /// Default with a map of literals.
        #[serde(default = "limits")]
        pub limits: BTreeMap<String, String>,
        /// Default of a type of Kubernetes.
        #[serde(default)]
        pub resources: ResourceRequirements,
        /// Enum with an alias that serde accepts.
        pub level: LogLevel,
        /// Struct with a flattened map as its only field.
        pub labels: Labels,
        /// Duration in seconds and nanoseconds.
        pub interval: Duration,
        /// `null` differs from an absent field, which has a default.
        #[serde(default = "three")]
        pub replicas: Option<i32>,
        /// Map with enum keys: a property for each variant.
        pub by_metal: BTreeMap<Metal, i32>,
        /// Text, with a deserializer that also accepts `null`.
        #[serde(default, deserialize_with = "null_as_default")]
        pub owner: String,
        /// Schema returned by a function.
        #[schemars(schema_with = "open")]
        pub extra: serde_json::Value,
        #[schemars(schema_with = "as_set")]
        pub tags: Vec<String>,
        #[schemars(schema_with = "self::delegated")]
        pub delegated: String,
        /// Schema of a hand-written `JsonSchema`.
        pub code: Code,
        pub reference: Reference,
        /// Enum with a variant that is serialized as `null`.
        pub target: Target,
    }

    fn most() -> u64 {
        (128 * KIBI + 1) * 1024 - 4096 / 4
    }

    fn limits() -> BTreeMap<String, String> {
        BTreeMap::from([("cpu".to_owned(), "2".to_string())])
    }

    fn three() -> Option<i32> {
        Some(3)
    }

    fn null_as_default<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
        Ok(Option::deserialize(deserializer)?.unwrap_or_default())
    }

    #[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
    #[serde(rename_all = "camelCase")]
    pub enum LogLevel {
        Debug,
        #[serde(alias = "information")]
        Info,
    }

    #[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
    #[serde(untagged)]
    pub enum Target {
        Pod { pod: String },
        Nothing,
    }

    fn open(_: &mut SchemaGenerator) -> Schema {
        let mut schema = schemars::json_schema!({ "type": "object" });
        schema.insert(
            "x-kubernetes-preserve-unknown-fields".to_owned(),
            true.into(),
        );
        schema
    }

    fn as_set(generator: &mut SchemaGenerator) -> Schema {
        let mut schema = <Vec<String>>::json_schema(generator);
        schema.insert("x-kubernetes-list-type".into(), "set".into());
        schema
    }

    fn delegated(generator: &mut SchemaGenerator) -> Schema {
        generator.subschema_for::<String>()
    }

    #[derive(Clone, Debug, Deserialize, Serialize)]
    #[serde(transparent)]
    pub struct Code(pub String);

    impl JsonSchema for Code {
        fn schema_name() -> Cow<'static, str> {
            "Code".into()
        }

        fn json_schema(_: &mut SchemaGenerator) -> Schema {
            schemars::json_schema!({ "type": "string", "pattern": "^a+$" })
        }
    }

    #[derive(Clone, Debug, Deserialize, Serialize)]
    #[serde(untagged)]
    pub enum Reference {
        Name(String),
        Old(u16, String),
    }

    impl JsonSchema for Reference {
        fn schema_name() -> Cow<'static, str> {
            "Reference".into()
        }

        fn json_schema(generator: &mut SchemaGenerator) -> Schema {
            String::json_schema(generator)
        }
    }

    #[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
    pub struct Labels {
        #[serde(flatten)]
        pub all: BTreeMap<String, String>,
    }

    #[derive(Clone, Debug, Deserialize, Serialize, JsonSchema, PartialEq, Eq, PartialOrd, Ord)]
    pub enum Metal {
        Copper,
        Iron,
    }
}
