//! Maps whose keys are not strings.

pub mod v1 {
    use genclient::prelude::*;
    use std::collections::BTreeMap;

    #[genclient]
    #[group = "example.com"]
    pub struct Keyed {
        pub metadata: ObjectMeta,
        pub lists: BTreeMap<String, BTreeMap<Vec<String>, String>>,
    }
}
