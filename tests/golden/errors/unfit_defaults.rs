//! Defaults that do not fit the schema, although an attribute overrides the type, or attributes of
//! several places decide together.

pub mod v1 {
    use std::collections::BTreeMap;

    use genclient::prelude::*;
    use k8s_openapi::apimachinery::pkg::runtime::RawExtension;

    #[genclient]
    #[group = "errors.example.com"]
    pub struct Overridden {
        pub metadata: ObjectMeta,
        #[crd(type = "integer", default = "x")]
        pub integer: i64,
        #[crd(type = "number", default = "x")]
        pub number: f64,
        #[crd(type = "string", default = 3)]
        pub string: i64,
        #[crd(type = "string", minimum = 3)]
        pub bounded: i64,
        #[crd(type = "integer", enum = [1, "x"])]
        pub choice: i64,
        #[crd(items(type = "integer", default = "x"))]
        pub numbers: Vec<i64>,
        #[crd(type = "array", items(minimum = 1, default = "x"))]
        pub list: Vec<i64>,
        #[crd(values(type = "integer", default = "x"))]
        pub values: BTreeMap<String, i64>,
        #[crd(int_or_string, default = true)]
        pub either: i32,
        #[crd(embedded_resource, default = "x")]
        pub resource: RawExtension,
        #[crd(preserve_unknown_fields, default = "x")]
        pub open: Part,
        #[crd(schemaless, type = "integer", default = "x")]
        pub schemaless: String,
        #[crd(schema = { "type": "integer" }, default = "x")]
        pub stated: i64,
        #[crd(default = 3)]
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
    #[crd(default = ["a", "a"])]
    pub struct Names(pub Vec<String>);

    #[derive(kube::CustomResource, Clone, Debug, Deserialize, Serialize, JsonSchema)]
    #[kube(group = "errors.example.com", version = "v1", kind = "Extended")]
    pub struct ExtendedSpec {
        #[schemars(extend("default" = "x"))]
        pub size: i32,
    }
}
