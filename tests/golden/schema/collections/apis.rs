//! Lists, maps, sets and options, and where the schema is nullable.

pub mod v1 {
    use genclient::prelude::*;
    use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};

    #[genclient]
    #[group = "collections.example.com"]
    pub struct Shelf {
        pub metadata: ObjectMeta,
        pub spec: ShelfSpec,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct ShelfSpec {
        pub list: Vec<String>,
        pub queue: VecDeque<Vec<i32>>,
        pub three: [u8; 3],
        pub set: BTreeSet<String>,
        pub objects: HashSet<Vec<String>>,
        pub map: BTreeMap<String, i32>,
        pub deep: HashMap<String, BTreeMap<String, Vec<bool>>>,
        pub nullable: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        pub absent: Option<String>,
        #[serde(default)]
        pub defaulted: Vec<String>,
        #[crd(required)]
        pub required: Option<String>,
        pub null_items: Vec<Option<String>>,
        pub null_values: BTreeMap<String, Option<i32>>,
        pub twice: Option<Option<bool>>,
        #[serde(skip_serializing_if = "Option::is_none")]
        #[crd(nullable)]
        pub stated: Option<String>,
    }
}
