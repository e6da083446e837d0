pub mod v1 {
    use genclient::prelude::*;

    #[genclient]
    #[group = "errors.example.com"]
    #[crd(any_of = [{ "properties": { "spec": { "required": ["slope"] } } }], min_properties = 2)]
    #[crd(struct_type = "atomic")]
    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct Plot {
        pub metadata: ObjectMeta,
        pub spec: PlotSpec,
        pub status: Option<PlotStatus>,
    }

    #[genclient]
    #[group = "errors.example.com"]
    #[crd(not = { "properties": { "metadata": { "required": ["labels"] } } })]
    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct Winery {
        pub metadata: ObjectMeta,
        pub spec: PlotSpec,
    }

    #[genclient]
    #[group = "errors.example.com"]
    #[crd(default = { "spec": { "ready": true } }, embedded_resource)]
    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct Cellar {
        pub metadata: ObjectMeta,
        pub spec: PlotStatus,
        pub status: Option<PlotStatus>,
    }

    #[genclient]
    #[group = "errors.example.com"]
    #[crd(int_or_string)]
    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct Cask {
        pub metadata: ObjectMeta,
        pub spec: PlotStatus,
        pub status: Option<PlotStatus>,
    }

    #[genclient]
    #[group = "errors.example.com"]
    #[crd(schema = { "type": "object", "additionalProperties": { "type": "string" }, "enum": [{}] })]
    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct Vault {
        pub metadata: ObjectMeta,
        pub spec: PlotStatus,
        pub status: Option<PlotStatus>,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct PlotSpec {
        #[crd(any_of = [{ "enum": ["zero"] }, { "pattern": "x", "title": "t" }])]
        pub slope: Option<i32>,
        #[crd(one_of = [{ "items": { "minimum": 1 } }, { "format": "int64", "multipleOf": 0 }])]
        pub height: i64,
        #[crd(any_of = [{ "enum": [] }], one_of = [], not = { "const": 5 })]
        pub width: i32,
        #[crd(all_of = [{ "exclusiveMinimum": 5 }, { "minimum": "6" }, { "max_length": 7 }])]
        pub depth: i32,
        #[crd(items(any_of = ["a", { "not": [{ "maxLenght": 3 }] }]))]
        pub names: Vec<String>,
        #[crd(all_of = [{ "anyOf": { "minimum": 1 } }, { "enum": 5 }, { "zzzzz": 1 }])]
        pub count: i32,
        #[crd(all_of = [{ "properties": ["ready"], "required": "ready" }])]
        pub more: PlotStatus,
        #[crd(schema = { "type": "string", "x-kubernetes-validations": [{ "rule": 5 }] })]
        pub ruled: String,
        #[crd(all_of = [{ "minimum": 0, "exclusiveMinimum": 5 }, { "maximum": true }])]
        pub flat: i32,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct PlotStatus {
        pub ready: bool,
    }
}
