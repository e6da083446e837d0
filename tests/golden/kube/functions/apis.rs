//! Schemas returned by `schema_with` functions and hand-written `JsonSchema` implementations.
#![expect(clippy::unwrap_used, reason = "as users write it")]

pub mod v1 {
    use std::borrow::Cow;
    use std::collections::BTreeMap;

    use kube::CustomResource;
    use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
    use serde::{Deserialize, Serialize};

    const MOST: u32 = 8;

    #[derive(CustomResource, Clone, Debug, Deserialize, Serialize, JsonSchema)]
    #[kube(
        group = "functions.example.com",
        version = "v1",
        kind = "Press",
        namespaced
    )]
    pub struct PressSpec {
        #[schemars(schema_with = "Press::open")]
        pub extra: serde_json::Value,
        #[schemars(schema_with = "Size::length")]
        pub length: u32,
        #[schemars(schema_with = "plates")]
        pub plates: Vec<Plate>,
        #[schemars(schema_with = "fixed")]
        pub fixed: Plate,
        pub weight: Measured<Plate>,
        pub text: Measured<String>,
        pub elsewhere: Elsewhere,
        pub written: Written,
        pub sealed: Sealed,
        pub code: Code,
        pub target: Target,
        pub settings: Settings,
        #[schemars(schema_with = "set_of::<String>")]
        pub tags: Vec<String>,
    }

    /// Known settings, and any others.
    #[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
    pub struct Settings {
        pub speed: i32,
        #[serde(flatten)]
        #[schemars(schema_with = "any_fields")]
        pub others: BTreeMap<String, serde_json::Value>,
        #[serde(flatten)]
        #[schemars(with = "Labels")]
        pub labels: serde_json::Value,
    }

    fn any_fields(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "x-kubernetes-preserve-unknown-fields": true })
    }

    fn set_of<T: JsonSchema>(generator: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "array",
            "items": T::json_schema(generator),
            "x-kubernetes-list-type": "set"
        })
    }

    /// Any object with a `kind`.
    #[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
    #[schemars(schema_with = "with_kind")]
    pub struct Sealed(pub serde_json::Value);

    fn with_kind(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "object",
            "required": ["kind"],
            "properties": { "kind": { "type": "string", "minLength": 1 } },
            "x-kubernetes-preserve-unknown-fields": true,
        })
    }

    /// Pod by name, or pods by labels.
    #[derive(Clone, Debug, Deserialize, Serialize)]
    #[serde(untagged)]
    pub enum Target {
        One(Pod),
        Some(Labels),
    }

    impl JsonSchema for Target {
        fn schema_name() -> Cow<'static, str> {
            "Target".into()
        }

        fn json_schema(generator: &mut SchemaGenerator) -> Schema {
            let one_of = vec![
                generator.subschema_for::<Pod>().to_value(),
                generator.subschema_for::<Labels>().to_value(),
            ];
            let mut schema = json_schema!({});
            schema.insert("oneOf".to_owned(), serde_json::Value::Array(one_of));
            schema
        }
    }

    #[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
    pub struct Pod {
        /// Name of the pod.
        pub pod: String,
    }

    #[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
    pub struct Labels {
        /// Labels of the pods.
        pub labels: BTreeMap<String, String>,
    }

    /// Code of the manufacturer.
    #[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
    #[serde(transparent)]
    #[schemars(with = "String")]
    pub struct Code {
        pub text: std::path::PathBuf,
    }

    impl Press {
        fn open(_: &mut SchemaGenerator) -> Schema {
            json_schema!({ "type": "object", "x-kubernetes-preserve-unknown-fields": true })
        }
    }

    #[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
    pub struct Plate {
        /// Metal of the plate.
        pub metal: String,
        pub size: Size,
    }

    #[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
    pub struct Size {
        pub length: i32,
    }

    impl Size {
        const SHORT: u32 = 1;
        const LONG: u32 = Self::SHORT * 10;

        fn length(_: &mut SchemaGenerator) -> Schema {
            json_schema!({ "type": "integer", "enum": [Self::SHORT, Self::LONG] })
        }
    }

    fn plates(generator: &mut SchemaGenerator) -> Schema {
        let plate = generator.subschema_for::<Plate>();
        json_schema!({
            "type": "array",
            "items": plate,
            "maxItems": MOST,
            "x-kubernetes-list-type": "map",
            "x-kubernetes-list-map-keys": ["metal"]
        })
    }

    fn fixed(generator: &mut SchemaGenerator) -> Schema {
        let mut schema = Plate::json_schema(generator);
        let object = schema.ensure_object();
        object.remove("title");
        if let Some(size) = object["properties"].get_mut("size") {
            size["description"] = "Stays as it is.".into();
        }
        schema.insert(
            "x-kubernetes-validations".to_owned(),
            serde_json::from_str(
                r#"[{ "rule": "self.metal == oldSelf.metal", "message": "it stays" }]"#,
            )
            .unwrap(),
        );
        schema
    }

    /// Value with a unit.
    #[derive(Clone, Debug, Deserialize, Serialize)]
    pub struct Measured<T> {
        pub unit: String,
        pub value: T,
    }

    impl<T: JsonSchema> JsonSchema for Measured<T> {
        fn schema_name() -> Cow<'static, str> {
            format!("Measured_{}", T::schema_name()).into()
        }

        fn json_schema(generator: &mut SchemaGenerator) -> Schema {
            json_schema!({
                "type": "object",
                "properties": {
                    "unit": String::json_schema(generator),
                    "value": T::json_schema(generator)
                },
                "required": ["unit", "value"]
            })
        }
    }

    #[derive(Clone, Debug, Deserialize, Serialize)]
    #[serde(transparent)]
    pub struct Elsewhere(pub u8);

    mod described {
        use super::*;

        impl JsonSchema for super::Elsewhere {
            fn schema_name() -> Cow<'static, str> {
                "Elsewhere".into()
            }

            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                json_schema!({ "type": "integer", "format": "uint8", "maximum": MOST })
            }
        }
    }

    /// Its serde implementations are hand-written, so only `JsonSchema` determines the schema.
    #[derive(Clone, Debug)]
    pub struct Written(pub Option<String>);

    impl Serialize for Written {
        fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
            self.0.serialize(to)
        }
    }

    impl<'de> Deserialize<'de> for Written {
        fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
            Option::deserialize(from).map(Self)
        }
    }

    impl JsonSchema for Written {
        fn schema_name() -> Cow<'static, str> {
            "Written".into()
        }

        fn json_schema(_: &mut SchemaGenerator) -> Schema {
            json_schema!({ "type": ["string", "null"], "maxLength": 10 })
        }
    }
}
