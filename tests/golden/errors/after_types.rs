//! Constraints, schemas and variants that are wrong once the types of fields are resolved.

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
        #[crd(min_properties = 1)]
        pub text: Text,
        #[crd(min_properties = 1)]
        pub port: IntOrString,
        #[crd(max_properties = 1)]
        pub few: Two,
        #[crd(minimum = 1)]
        pub counts: Counts,
        #[crd(default = { "a": "a long text, of which nothing is said", "b": "another long text" })]
        pub long: Long,
        #[crd(schema = { "type": "array", "items": { "type": "string" }, "x-kubernetes-list-type": "bag" })]
        pub list_type: BTreeMap<String, String>,
        #[crd(schema = { "type": "object", "x-kubernetes-map-type": "bag" })]
        pub map_type: BTreeMap<String, String>,
        #[crd(schema = { "type": "text" })]
        pub no_type: String,
        #[crd(schema = { "type": "object", "x-kubernetes-embedded-resource": true })]
        pub embedded: BTreeMap<String, String>,
        #[crd(schema = { "type": "object", "oneOf": [{ "properties": { "a": { "minLength": 1 } } }] })]
        pub branch: BTreeMap<String, String>,
        #[crd(schema = { "type": "integer", "minimum": 2, "maximum": 1 })]
        pub bounds: i32,
        #[crd(schema = { "type": "string", "enum": ["a", "a"] })]
        pub twice: String,
        #[crd(schema = { "type": "array", "items": { "type": "string", "nullable": true }, "x-kubernetes-list-type": "set" })]
        pub nulls: Vec<String>,
        pub embedding: Embedding,
        pub union: Union,
    }

    fn zero() -> i32 {
        0
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    #[crd(max_properties = 1)]
    pub struct Long {
        pub a: String,
        pub b: String,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    #[serde(tag = "type")]
    pub enum Embedding {
        Object {
            #[crd(embedded_resource)]
            value: serde_json::Value,
        },
        Value {
            #[crd(preserve_unknown_fields, type = "object")]
            value: serde_json::Value,
        },
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    #[serde(tag = "type")]
    pub enum Union {
        Any { value: serde_json::Value },
        Text { value: String },
    }
}
