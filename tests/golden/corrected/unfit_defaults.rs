//! Defaults that fit the schema, which an attribute overrides, or attributes of several places
//! decide together.

pub mod v1 {
    use std::collections::BTreeMap;

    use genclient::prelude::*;
    use k8s_openapi::apimachinery::pkg::runtime::RawExtension;

    #[genclient]
    #[group = "errors.example.com"]
    pub struct Overridden {
        pub metadata: ObjectMeta,
        #[crd(type = "integer", default = 3)]
        pub integer: i64,
        #[crd(type = "number", default = 3)]
        pub number: f64,
        #[crd(type = "string", default = "x")]
        pub string: i64,
        #[crd(type = "string", min_length = 3)]
        pub bounded: i64,
        #[crd(type = "integer", enum = [1, 2])]
        pub choice: i64,
        #[crd(items(type = "integer", default = 3))]
        pub numbers: Vec<i64>,
        #[crd(type = "array", items(minimum = 1, default = 3))]
        pub list: Vec<i64>,
        #[crd(values(type = "integer", default = 3))]
        pub values: BTreeMap<String, i64>,
        #[crd(int_or_string, default = "50%")]
        pub either: i32,
        #[crd(embedded_resource, default = {})]
        pub resource: RawExtension,
        #[crd(preserve_unknown_fields, default = { "other": 3 })]
        pub open: Part,
        #[crd(schemaless, type = "integer", default = 3)]
        pub schemaless: String,
        #[crd(schema = { "type": "integer" }, default = 3)]
        pub stated: i64,
        #[crd(default = "regular")]
        pub mode: Mode,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    #[serde(rename_all = "lowercase")]
    pub enum Mode {
        Regular,
        Express,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct Part {
        pub name: Option<String>,
    }

    #[genclient]
    #[group = "errors.example.com"]
    pub struct Set {
        pub metadata: ObjectMeta,
        #[crd(list_type = "set")]
        pub names: Names,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    #[crd(default = ["a", "b"])]
    pub struct Names(pub Vec<String>);

    #[derive(kube::CustomResource, Clone, Debug, Deserialize, Serialize, JsonSchema)]
    #[kube(group = "errors.example.com", version = "v1", kind = "Extended")]
    pub struct ExtendedSpec {
        #[schemars(extend("default" = 3))]
        pub size: i32,
    }
}
