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
        #[crd(default = 0)]
        pub low: Small,
        #[crd(default = { "name": "UPPER", "colour": "red" })]
        pub part: Part,
        #[crd(example = { "name": "a", "ports": [1, 70000] })]
        pub sample: Part,
        #[crd(default = ["a", "b", "a"], list_type = "set")]
        pub names: Vec<String>,
        #[crd(enum = ["a", "b", "a"])]
        pub twice: String,
        #[crd(enum = [1, 20])]
        pub bounded: Small,
        #[crd(enum = ["Sometimes"])]
        pub policy: Policy,
        #[crd(default = "Sometimes")]
        pub other: Policy,
        #[crd(enum = ["Always", "always", "Seldom"])]
        pub narrowed: Policy,
        #[crd(enum = ["Never", "Neve"])]
        pub maybe: Option<Policy>,
        #[crd(default = "Nevr")]
        pub slip: Option<Policy>,
        #[crd(default = { "canistr": { "size": 1 } })]
        pub filter: Filter,
        #[crd(default = { "bucket": { "size": 1 } })]
        pub vessel: Option<Filter>,
        #[crd(example = { "name": "a", "siez": 1 })]
        pub part_slip: Part,
        #[crd(default = { "a": null })]
        pub map: BTreeMap<String, i32>,
        #[crd(default = null)]
        pub null: String,
        #[crd(maximum = 0)]
        pub nothing: Small,
        #[crd(min_length = 5)]
        pub empty: char,
        #[crd(max_length = 2)]
        pub tight: Titled,
        #[crd(max_length = 2, default = "ab")]
        pub replaced: Titled,
        #[crd(format = "ipv4", default = "localhost")]
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
