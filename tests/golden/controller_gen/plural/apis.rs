//! Plural that follows from the name of the kind, and a kind without a spec.

pub mod v1 {
    use genclient::prelude::*;

    #[genclient(skip_client)]
    #[group = "plural.example.com"]
    pub struct TestQuota {
        pub metadata: ObjectMeta,
        #[serde(default, skip_serializing_if = "String::is_empty")]
        pub test: String,
    }
}
