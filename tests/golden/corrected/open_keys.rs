//! Maps whose keys the API server restricts as serde does.

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
        #[crd(keys(enum = ["Cpu", "Memory"]), max_properties = 2)]
        pub units: BTreeMap<Unit, i32>,
        #[crd(max_items = 16, items(keys(pattern = "^(0|[1-9][0-9]*)$"), max_properties = 16))]
        pub ports: Vec<BTreeMap<u16, String>>,
        #[crd(max_properties = 16, values(keys(pattern = "^(0|-?[1-9][0-9]*)$"), max_properties = 16))]
        pub offsets: BTreeMap<String, HashMap<i64, String>>,
        #[crd(keys(enum = ["true", "false"]), max_properties = 2)]
        pub flags: Option<BTreeMap<bool, String>>,
        #[crd(keys(max_length = 63, pattern = "^[a-z\\.]+$"), max_properties = 16)]
        pub names: BTreeMap<Name, String>,
        #[crd(keys(min_length = 1, max_length = 1), max_properties = 16)]
        pub letters: Letters,
        #[crd(keys(enum = ["Cpu", "Memory"]), max_properties = 16)]
        pub ruled: BTreeMap<Unit, i32>,
        #[crd(validation(rule = "self.all(k, k in ['Cpu', 'Memory'])"), max_properties = 16)]
        pub own_rule: BTreeMap<Unit, i32>,
        pub any: BTreeMap<String, i32>,
        #[crd(keys(pattern = "^(0|[1-9][0-9]?|1[0-9]{2}|2[0-4][0-9]|25[0-5])$"), max_properties = 16)]
        pub bytes: BTreeMap<u8, i32>,
        #[crd(keys(pattern = "^(0|-?([1-9][0-9]?|1[01][0-9]|12[0-7])|-128)$"), max_properties = 16)]
        pub signed: BTreeMap<i8, i32>,
        #[crd(keys(enum = ["Cpu", "Memory"]))]
        #[crd(max_properties = 9)]
        pub short: BTreeMap<Unit, i32>,
        #[crd(keys(min_length = 1, max_length = 1), max_properties = 9)]
        pub lettered: BTreeMap<char, i32>,
        pub external: External,
        pub internal: Internal,
        pub adjacent: Adjacent,
        pub untagged: Untagged,
        pub flattened: Flattened,
        pub mistake: Missing,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct Missing {
        pub name: String,
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
        Units(#[crd(keys(enum = ["Cpu", "Memory"]), max_properties = 2)] BTreeMap<Unit, i32>),
        Ruled(#[crd(keys(enum = ["Cpu", "Memory"]), max_properties = 2)] BTreeMap<Unit, i32>),
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    #[serde(tag = "type")]
    pub enum Internal {
        Units(BTreeMap<String, serde_json::Value>),
        Named {
            #[crd(keys(enum = ["Cpu", "Memory"]), max_properties = 2)]
            units: BTreeMap<Unit, i32>,
        },
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    #[serde(tag = "type", content = "value")]
    pub enum Adjacent {
        Units {
            #[crd(max_items = 16, items(keys(enum = ["Cpu", "Memory"]), max_properties = 2))]
            units: Vec<BTreeMap<Unit, i32>>,
        },
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    #[serde(untagged)]
    pub enum Untagged {
        Letters {
            #[crd(keys(min_length = 1, max_length = 1), max_properties = 16)]
            letters: Letters,
        },
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct Flattened {
        pub name: String,
        #[serde(flatten)]
        pub units: BTreeMap<String, serde_json::Value>,
        #[serde(flatten)]
        #[crd(preserve_unknown_fields)]
        pub meant: BTreeMap<Unit, serde_json::Value>,
    }
}
