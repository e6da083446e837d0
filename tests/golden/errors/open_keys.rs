//! Maps whose keys serde restricts and the API server does not.

pub mod v1 {
    use std::collections::{BTreeMap, HashMap};

    use genclient::prelude::*;

    #[genclient]
    #[group = "errors.example.com"]
    pub struct Widget {
        pub metadata: ObjectMeta,
        pub spec: WidgetSpec,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct WidgetSpec {
        pub units: BTreeMap<Unit, i32>,
        pub ports: Vec<BTreeMap<u16, String>>,
        pub offsets: BTreeMap<String, HashMap<i64, String>>,
        pub flags: Option<BTreeMap<bool, String>>,
        pub names: BTreeMap<Name, String>,
        pub letters: Letters,
        #[crd(keys(enum = ["Cpu", "Memory"]))]
        pub ruled: BTreeMap<Unit, i32>,
        #[crd(validation(rule = "self.all(k, k in ['Cpu', 'Memory'])"))]
        pub own_rule: BTreeMap<Unit, i32>,
        pub any: BTreeMap<String, i32>,
        pub bytes: BTreeMap<u8, i32>,
        pub signed: BTreeMap<i8, i32>,
        #[crd(keys(max_length = 63), max_properties = 9)]
        pub short: BTreeMap<Unit, i32>,
        #[crd(keys(min_length = 1, max_length = 1), max_properties = 9)]
        pub lettered: BTreeMap<char, i32>,
        pub external: External,
        pub internal: Internal,
        pub adjacent: Adjacent,
        pub untagged: Untagged,
        pub flattened: Flattened,
        /// Unknown type: warnings are only compared next to an error.
        pub mistake: Missing,
    }

    #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, CrdSchema)]
    pub enum Unit {
        Cpu,
        Memory,
    }

    #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, CrdSchema)]
    #[crd(max_length = 63, pattern = "^[a-z\\.]+$")]
    pub struct Name(pub String);

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct Letters(pub BTreeMap<char, String>);

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub enum External {
        Units(BTreeMap<Unit, i32>),
        Ruled(#[crd(keys(enum = ["Cpu", "Memory"]), max_properties = 2)] BTreeMap<Unit, i32>),
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    #[serde(tag = "type")]
    pub enum Internal {
        Units(BTreeMap<Unit, serde_json::Value>),
        Named { units: BTreeMap<Unit, i32> },
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    #[serde(tag = "type", content = "value")]
    pub enum Adjacent {
        Units(Vec<BTreeMap<Unit, i32>>),
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    #[serde(untagged)]
    pub enum Untagged {
        Letters(Letters),
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct Flattened {
        pub name: String,
        #[serde(flatten)]
        pub units: BTreeMap<Unit, serde_json::Value>,
        #[serde(flatten)]
        #[crd(preserve_unknown_fields)]
        pub meant: BTreeMap<Unit, serde_json::Value>,
    }
}
