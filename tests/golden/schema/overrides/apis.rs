//! Attributes that replace the type's schema or a part of it, and attributes that only describe it.

pub mod v1 {
    use genclient::prelude::*;
    use serde_json::Value;
    use std::collections::BTreeMap;

    #[genclient]
    #[group = "overrides.example.com"]
    pub struct Crate {
        pub metadata: ObjectMeta,
        #[crd(
            title = "Owner",
            example = "me",
            external_docs(url = "https://example.com")
        )]
        pub owner: String,
        #[crd(immutable)]
        pub fixed: String,
        #[crd(int_or_string)]
        pub port: IntOrString,
        #[crd(schema = { "type": "object", "x-kubernetes-preserve-unknown-fields": true })]
        pub anything: BTreeMap<String, String>,
        #[crd(schemaless, preserve_unknown_fields)]
        pub open: Vec<BTreeMap<String, String>>,
        #[crd(embedded_resource)]
        pub template: BTreeMap<String, String>,
        #[crd(items(schema = { "type": "string", "maxLength": 8 }))]
        pub stated_items: Vec<Value>,
        #[crd(items(schema = { "type": "string", "nullable": true }))]
        pub nullable_items: Vec<Value>,
        #[crd(items(schema = { "type": "string" }))]
        pub optional_items: Vec<Option<String>>,
        #[crd(values(schemaless, preserve_unknown_fields))]
        pub any_values: BTreeMap<String, Value>,
        #[crd(values(items(type = "integer")))]
        pub nested_items: BTreeMap<String, Vec<Value>>,
        #[crd(type = "integer")]
        pub no_format: i64,
        #[crd(type = "integer", format = "int32", maximum = 9)]
        pub own_format: u32,
        #[crd(type = "number")]
        pub float: f64,
    }
}
