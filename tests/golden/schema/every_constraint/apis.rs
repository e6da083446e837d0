//! Every constraint, each on a field of its own. `tests/e2e/constraints.rs` sends valid and invalid
//! objects to the API server.

pub mod v1 {
    use std::collections::BTreeMap;

    use genclient::prelude::*;

    /// Sample with a field for each constraint.
    #[genclient]
    #[group = "constraints.example.com"]
    #[crd(scope = "Cluster")]
    pub struct Sample {
        pub metadata: ObjectMeta,
        #[serde(default)]
        pub spec: SampleSpec,
    }

    #[derive(Clone, Debug, Default, Serialize, Deserialize, CrdSchema)]
    #[serde(default, rename_all = "camelCase")]
    pub struct SampleSpec {
        #[serde(skip_serializing_if = "Option::is_none")]
        #[crd(minimum = 1)]
        pub minimum: Option<i32>,
        #[serde(skip_serializing_if = "Option::is_none")]
        #[crd(minimum = 1, exclusive_minimum)]
        pub exclusive_minimum: Option<i32>,
        #[serde(skip_serializing_if = "Option::is_none")]
        #[crd(maximum = 9)]
        pub maximum: Option<i64>,
        #[serde(skip_serializing_if = "Option::is_none")]
        #[crd(maximum = 9.5, exclusive_maximum, type = "number")]
        pub exclusive_maximum: Option<f64>,
        #[serde(skip_serializing_if = "Option::is_none")]
        #[crd(multiple_of = 3)]
        pub multiple_of: Option<i32>,
        #[serde(skip_serializing_if = "Option::is_none")]
        pub byte: Option<u8>,
        #[serde(skip_serializing_if = "Option::is_none")]
        pub unsigned: Option<u32>,
        #[serde(skip_serializing_if = "Option::is_none")]
        #[crd(min_length = 2)]
        pub min_length: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        #[crd(max_length = 3)]
        pub max_length: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        pub char: Option<char>,
        #[serde(skip_serializing_if = "Option::is_none")]
        #[crd(pattern = r"^\d+\Q.\E$")]
        pub pattern: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        #[crd(pattern = "^[a-z]+$")]
        pub two_patterns: Option<Ends>,
        #[serde(skip_serializing_if = "Option::is_none")]
        #[crd(format = "ipv4")]
        pub format: Option<String>,
        #[serde(skip_serializing_if = "Vec::is_empty")]
        #[crd(min_items = 2)]
        pub min_items: Vec<i32>,
        #[serde(skip_serializing_if = "Vec::is_empty")]
        #[crd(max_items = 2)]
        pub max_items: Vec<i32>,
        #[serde(skip_serializing_if = "Vec::is_empty")]
        #[crd(items(minimum = 1, enum = [1, 2]))]
        pub items: Vec<i32>,
        #[serde(skip_serializing_if = "Vec::is_empty")]
        #[crd(items(items(max_length = 1)))]
        pub inner_items: Vec<Vec<String>>,
        #[serde(skip_serializing_if = "Vec::is_empty")]
        #[crd(list_type = "set")]
        pub set: Vec<String>,
        #[serde(skip_serializing_if = "Vec::is_empty")]
        #[crd(list_type = "map", list_map_keys = ["name", "port"])]
        pub map: Vec<Part>,
        #[serde(skip_serializing_if = "BTreeMap::is_empty")]
        #[crd(min_properties = 2)]
        pub min_properties: BTreeMap<String, String>,
        #[serde(skip_serializing_if = "BTreeMap::is_empty")]
        #[crd(max_properties = 1)]
        pub max_properties: BTreeMap<String, String>,
        #[serde(skip_serializing_if = "BTreeMap::is_empty")]
        #[crd(values(max_length = 1))]
        pub values: BTreeMap<String, String>,
        #[serde(skip_serializing_if = "BTreeMap::is_empty")]
        #[crd(max_properties = 4, keys(max_length = 2))]
        pub short_keys: BTreeMap<String, String>,
        #[serde(skip_serializing_if = "BTreeMap::is_empty")]
        #[crd(max_properties = 4, keys(max_length = 9, pattern = r"^[a-z'\\]+$"))]
        pub key_pattern: BTreeMap<String, String>,
        #[serde(skip_serializing_if = "BTreeMap::is_empty")]
        #[crd(max_properties = 4, keys(enum = ["cpu", "it's"]))]
        pub known_keys: BTreeMap<String, i32>,
        #[serde(skip_serializing_if = "BTreeMap::is_empty")]
        #[crd(max_properties = 4, keys(max_length = 63, format = "k8s-short-name"))]
        pub key_format: BTreeMap<String, i32>,
        #[serde(skip_serializing_if = "Option::is_none")]
        #[crd(enum = ["a", "b"])]
        pub word: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        pub units: Option<Units>,
        #[serde(skip_serializing_if = "Option::is_none")]
        #[crd(nullable)]
        pub nullable_units: Option<Units>,
        #[crd(enum = ["a", "b"])]
        pub nullable_word: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        #[crd(int_or_string, pattern = "^[a-z]+$")]
        pub int_or_string: Option<serde_json::Value>,
        #[serde(skip_serializing_if = "Option::is_none")]
        #[crd(schema = { "type": "string", "maxLength": 2 })]
        pub stated: Option<Part>,
        #[serde(skip_serializing_if = "Option::is_none")]
        #[crd(validation(
            rule = "self.port > 1000",
            message = "a low port",
            field_path = ".port",
            reason = "FieldValueForbidden"
        ))]
        pub rule: Option<Part>,
        #[serde(skip_serializing_if = "Option::is_none")]
        #[crd(
            max_length = 9,
            validation(rule = "self == 'a'", message_expression = "'not ' + self")
        )]
        pub message: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        pub exactly_one: Option<Exactly>,
        #[serde(skip_serializing_if = "Option::is_none")]
        pub at_most_one: Option<AtMost>,
        #[serde(skip_serializing_if = "Option::is_none")]
        pub at_least_one: Option<AtLeast>,
        #[serde(skip_serializing_if = "Option::is_none")]
        pub required: Option<Part>,
        #[serde(skip_serializing_if = "Option::is_none")]
        #[crd(embedded_resource)]
        pub embedded: Option<serde_json::Value>,
        #[serde(skip_serializing_if = "Option::is_none")]
        #[crd(embedded_metadata)]
        pub template: Option<ObjectMeta>,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    #[crd(pattern = "x$")]
    pub struct Ends(pub String);

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct Part {
        pub name: String,
        #[crd(default = 80)]
        pub port: u16,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    #[serde(rename_all = "lowercase")]
    pub enum Units {
        Cpu,
        Memory,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    #[crd(exactly_one_of = ["a", "if"])]
    pub struct Exactly {
        #[serde(skip_serializing_if = "Option::is_none")]
        pub a: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        pub r#if: Option<String>,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    #[crd(at_most_one_of = ["a", "b-c"])]
    pub struct AtMost {
        #[serde(skip_serializing_if = "Option::is_none")]
        pub a: Option<String>,
        #[serde(rename = "b-c", skip_serializing_if = "Option::is_none")]
        pub b: Option<String>,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    #[crd(at_least_one_of = ["a", "b"])]
    pub struct AtLeast {
        #[serde(skip_serializing_if = "Option::is_none")]
        pub a: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        pub b: Option<String>,
    }
}
