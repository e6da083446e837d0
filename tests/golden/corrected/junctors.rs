pub mod v1 {
    use genclient::prelude::*;

    #[genclient]
    #[group = "errors.example.com"]
    pub struct Gate {
        pub metadata: ObjectMeta,
        pub spec: GateSpec,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    #[crd(one_of = [{ "required": ["secret"] }, { "required": ["configMap"] }])]
    #[serde(rename_all = "camelCase")]
    pub struct GateSpec {
        pub secret: Option<String>,
        pub config_map: Option<String>,
        #[crd(any_of = [{ "maximum": 0 }, { "minimum": 1024 }])]
        pub port: i32,
        #[crd(all_of = [{ "minLength": 1 }])]
        pub name: String,
        #[crd(not = { "properties": { "a": { "maxLength": 1 } } })]
        pub inner: Inner,
        #[crd(items(any_of = [{ "pattern": "a" }]))]
        pub list: Vec<String>,
        #[crd(default = "a", one_of = [{ "minLength": 1 }])]
        pub filled: String,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct Inner {
        pub a: Option<String>,
    }
}
