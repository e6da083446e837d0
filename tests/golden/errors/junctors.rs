pub mod v1 {
    use genclient::prelude::*;

    #[genclient]
    #[group = "errors.example.com"]
    pub struct Gate {
        pub metadata: ObjectMeta,
        pub spec: GateSpec,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    #[crd(one_of = [{ "required": ["secret"] }, { "required": ["config_map"] }])]
    #[serde(rename_all = "camelCase")]
    pub struct GateSpec {
        pub secret: Option<String>,
        pub config_map: Option<String>,
        #[crd(any_of = [{ "type": "string" }, { "minimum": 1024 }])]
        pub port: i32,
        #[crd(all_of = [{ "minLenght": 1 }])]
        pub name: String,
        #[crd(not = { "properties": { "b": { "maxLength": 1 } } })]
        pub inner: Inner,
        #[crd(items(any_of = [{ "pattern": "(?=a)" }]))]
        pub list: Vec<String>,
        #[crd(one_of = [{ "default": "a" }])]
        pub filled: String,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct Inner {
        pub a: Option<String>,
    }
}
