//! What replaces the schema of the type, and what only describes it.

pub mod v1 {
    use genclient::prelude::*;
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
    }
}
