//! What serde can do and a CRD cannot.

pub mod v1 {
    use genclient::prelude::*;
    use std::collections::BTreeMap;

    #[genclient]
    #[group = "example.com"]
    pub struct Rules {
        pub metadata: ObjectMeta,
        #[serde(alias = "old")]
        pub new: String,
        #[serde(rename(serialize = "a", deserialize = "b"))]
        pub two: String,
        #[serde(default = "elsewhere::value")]
        pub computed: String,
        #[serde(default = "now")]
        pub called: String,
        #[serde(with = "module")]
        pub with: String,
        #[serde(flatten)]
        pub rest: BTreeMap<String, String>,
        #[crd(optional)]
        pub needed: String,
    }

    fn now() -> String {
        format!("{}", 1)
    }
}
