//! Fields that serde may write as `null`: the schema is nullable, unless a default replaces the
//! `null`.

pub mod v1 {
    use std::collections::BTreeMap;

    use genclient::prelude::*;
    use serde_json::Value;

    #[genclient]
    #[group = "nulls.example.com"]
    pub struct Widget {
        pub metadata: ObjectMeta,
        pub spec: WidgetSpec,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    #[serde(rename_all = "camelCase")]
    pub struct WidgetSpec {
        pub value: Value,
        pub newtype: Any,
        #[serde(skip_serializing_if = "Option::is_none")]
        pub skipped_value: Option<Value>,
        pub value_list: Vec<Value>,
        pub value_map: BTreeMap<String, Value>,
        #[crd(embedded_resource)]
        pub resource: Value,
        #[crd(enum = [1, "a"])]
        pub some_values: Value,
        #[crd(schema = { "type": "string", "enum": ["a", "b"] })]
        pub stated: Option<String>,
        #[crd(enum = [null])]
        pub only_null: Option<Color>,
        /// Has the default of its type.
        pub titled: Option<Titled>,
        pub tagged: Tagged,
        pub untagged: Untagged,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct Any(pub Value);

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    #[crd(default = "abc")]
    pub struct Titled(pub String);

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    #[serde(tag = "type")]
    pub enum Tagged {
        Any(Any),
        Value(Value),
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    #[serde(untagged)]
    pub enum Untagged {
        Any(Any),
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub enum Color {
        Red,
        Green,
    }
}
