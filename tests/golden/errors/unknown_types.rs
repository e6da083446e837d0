//! Fields of types that are unknown, or not supported in a CRD.

pub mod v1 {
    use std::collections::BTreeMap;

    use chrono::Weekday;
    use genclient::prelude::*;

    #[genclient]
    #[group = "example.com"]
    pub struct Unknown {
        pub metadata: ObjectMeta,
        pub missing: Missing,
        pub foreign: Weekday,
        pub wide: u128,
        pub time: std::time::Duration,
        pub tuple: (i32, String),
        pub nothing: Unit,
        pub list: Vec<Missing>,
        pub nested: BTreeMap<String, Option<Vec<Missing>>>,
        pub text: string,
        pub flag: bol,
        pub count: int,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct Unit;
}
