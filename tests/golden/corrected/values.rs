pub mod v1 {
    use std::collections::BTreeMap;

    use genclient::prelude::*;

    #[genclient]
    #[group = "errors.example.com"]
    pub struct Widget {
        pub metadata: ObjectMeta,
        pub spec: WidgetSpec,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct WidgetSpec {
        #[crd(default = 1)]
        pub low: Small,
        #[crd(default = { "name": "lower", "size": 1 })]
        pub part: Part,
        #[crd(example = { "name": "a", "size": 1, "ports": [1, 7000] })]
        pub sample: Part,
        #[crd(default = ["a", "b"], list_type = "set")]
        pub names: Vec<String>,
        #[crd(enum = ["a", "b"])]
        pub twice: String,
        #[crd(enum = [1, 10])]
        pub bounded: Small,
        #[crd(enum = ["Always"])]
        pub policy: Policy,
        #[crd(default = "Never")]
        pub other: Policy,
        #[crd(enum = ["Always"])]
        pub narrowed: Policy,
        #[crd(enum = ["Never"])]
        pub maybe: Option<Policy>,
        #[crd(default = "Never")]
        pub slip: Option<Policy>,
        #[crd(default = { "canister": { "size": 1 } })]
        pub filter: Filter,
        #[crd(default = { "sponge": { "size": 1 } })]
        pub vessel: Option<Filter>,
        #[crd(example = { "name": "a", "size": 1 })]
        pub part_slip: Part,
        #[crd(default = { "a": 1 })]
        pub map: BTreeMap<String, i32>,
        pub null: String,
        #[crd(maximum = 1)]
        pub nothing: Small,
        #[crd(min_length = 1)]
        pub empty: char,
        #[crd(max_length = 2, default = "a")]
        pub tight: Titled,
        #[crd(max_length = 2, default = "ab")]
        pub replaced: Titled,
        #[crd(format = "ipv4", default = "127.0.0.1")]
        pub address: String,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    #[crd(minimum = 1, maximum = 10)]
    pub struct Small(pub i32);

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    #[crd(default = "abc")]
    pub struct Titled(pub String);

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct Part {
        #[crd(pattern = "^[a-z]+$")]
        pub name: String,
        pub size: i32,
        #[serde(default)]
        pub ports: Vec<u16>,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    #[serde(rename_all = "camelCase")]
    pub enum Filter {
        Canister { size: i32 },
        Sponge { size: i32 },
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub enum Policy {
        Always,
        Never,
    }
}
