//! Fields of supported types, and fields with a stated schema.

pub mod v1 {
    use std::collections::BTreeMap;

    use chrono::Weekday;
    use genclient::prelude::*;

    #[genclient]
    #[group = "example.com"]
    pub struct Unknown {
        pub metadata: ObjectMeta,
        #[crd(schema = { "type": "string" })]
        pub missing: Missing,
        #[crd(preserve_unknown_fields, type = "object")]
        pub foreign: Weekday,
        pub wide: i64,
        pub time: genclient::prelude::Duration,
        pub tuple: BTreeMap<String, String>,
        pub nothing: Unit,
        #[crd(items(schema = { "type": "string" }))]
        pub list: Vec<Missing>,
        #[crd(values(items(preserve_unknown_fields, type = "object")))]
        pub nested: BTreeMap<String, Option<Vec<Missing>>>,
        pub text: String,
        pub flag: bool,
        pub count: i32,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct Unit {}
}
