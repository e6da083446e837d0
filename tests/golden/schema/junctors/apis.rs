//! `one_of`, `any_of`, `all_of` and `not`: schemas in addition to the type's own.

pub mod v1 {
    use genclient::prelude::*;

    #[genclient]
    #[group = "junctors.example.com"]
    pub struct Gate {
        pub metadata: ObjectMeta,
        pub spec: GateSpec,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    #[crd(one_of = [{ "required": ["secret"] }, { "required": ["configMap"] }])]
    #[serde(rename_all = "camelCase")]
    pub struct GateSpec {
        #[serde(skip_serializing_if = "Option::is_none")]
        pub secret: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        pub config_map: Option<String>,
        #[crd(any_of = [{ "enum": [0] }, { "minimum": 1024 }])]
        pub port: i32,
        #[crd(all_of = [{ "pattern": "^[a-z]" }, { "pattern": "[a-z]$" }], not = { "enum": ["default"] })]
        pub name: Option<String>,
        #[crd(any_of = [{ "pattern": "%$" }, { "minimum": 1 }])]
        pub share: IntOrString,
        #[crd(items(not = { "pattern": "^kube-" }))]
        pub namespaces: Vec<String>,
        #[crd(not = { "required": ["host", "path"] })]
        pub target: Target,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    #[crd(any_of = [{ "required": ["host"] }, { "properties": { "path": { "minLength": 1 } }, "required": ["path"] }])]
    pub struct Target {
        #[serde(skip_serializing_if = "Option::is_none")]
        pub host: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        pub path: Option<String>,
    }
}
