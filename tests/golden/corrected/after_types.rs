//! Constraints, schemas and variants that are valid once the types of fields are resolved.

pub mod v1 {
    use std::collections::BTreeMap;

    use genclient::prelude::*;

    #[genclient]
    #[group = "errors.example.com"]
    pub struct Widget {
        pub metadata: ObjectMeta,
        pub spec: WidgetSpec,
    }

    type Text = String;
    type Counts = BTreeMap<String, i32>;

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct Two {
        pub one: i32,
        pub two: i32,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct WidgetSpec {
        #[serde(default = "zero")]
        #[crd(minimum = 1)]
        pub returned: i32,
        pub text: Text,
        pub port: IntOrString,
        pub few: Two,
        #[crd(values(minimum = 1))]
        pub counts: Counts,
        #[crd(default = { "a": "a long text, of which nothing is said" })]
        pub long: Long,
        #[crd(schema = { "type": "array", "items": { "type": "string" }, "x-kubernetes-list-type": "atomic" })]
        pub list_type: BTreeMap<String, String>,
        #[crd(schema = { "type": "object", "x-kubernetes-map-type": "granular" })]
        pub map_type: BTreeMap<String, String>,
        #[crd(schema = { "type": "string" })]
        pub no_type: String,
        #[crd(schema = { "type": "object", "x-kubernetes-embedded-resource": true, "x-kubernetes-preserve-unknown-fields": true })]
        pub embedded: BTreeMap<String, String>,
        #[crd(schema = { "type": "object", "properties": { "a": { "type": "string" } }, "oneOf": [{ "properties": { "a": { "minLength": 1 } } }] })]
        pub branch: BTreeMap<String, String>,
        #[crd(schema = { "type": "integer", "minimum": 2, "maximum": 2 })]
        pub bounds: i32,
        #[crd(schema = { "type": "string", "enum": ["a"] })]
        pub twice: String,
        #[crd(schema = { "type": "array", "items": { "type": "string" }, "x-kubernetes-list-type": "set" })]
        pub nulls: Vec<String>,
        pub embedding: Embedding,
        pub union: Union,
    }

    fn zero() -> i32 {
        1
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    #[crd(max_properties = 1)]
    pub struct Long {
        pub a: String,
        pub b: Option<String>,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    #[serde(tag = "type")]
    pub enum Embedding {
        Object {
            #[crd(embedded_resource)]
            value: serde_json::Value,
        },
        Value {
            #[crd(embedded_resource)]
            value: serde_json::Value,
        },
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    #[serde(tag = "type")]
    pub enum Union {
        Any { value: serde_json::Value },
        Text { value: serde_json::Value },
    }
}
