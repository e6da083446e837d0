//! What serde and a CRD can do.

pub mod v1 {
    use genclient::prelude::*;
    use std::collections::BTreeMap;

    #[genclient]
    #[group = "example.com"]
    pub struct Rules {
        pub metadata: ObjectMeta,
        pub new: String,
        #[serde(rename = "a")]
        pub two: String,
        #[serde(default = "elsewhere::value")]
        #[crd(default = "a")]
        pub computed: String,
        #[serde(default = "now")]
        #[crd(no_default)]
        pub called: String,
        #[serde(with = "module")]
        #[crd(schema = { "type": "string" })]
        pub with: String,
        pub rest: BTreeMap<String, String>,
        #[crd(optional)]
        pub needed: Option<String>,
    }

    fn now() -> String {
        format!("{}", 1)
    }
}
