pub mod v1 {
    use genclient::prelude::*;

    #[genclient]
    #[group = "errors.example.com"]
    #[crd(validation(rule = "has(self.spec.slope)"))]
    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct Plot {
        pub metadata: ObjectMeta,
        pub spec: PlotSpec,
        pub status: Option<PlotStatus>,
    }

    #[genclient]
    #[group = "errors.example.com"]
    #[crd(validation(rule = "self.metadata.name.startsWith('a-')"))]
    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct Winery {
        pub metadata: ObjectMeta,
        pub spec: PlotSpec,
    }

    #[genclient]
    #[group = "errors.example.com"]
    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct Cellar {
        pub metadata: ObjectMeta,
        #[crd(default = { "ready": true }, embedded_resource)]
        pub spec: PlotStatus,
        pub status: Option<PlotStatus>,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct PlotSpec {
        #[crd(any_of = [{ "enum": [0] }])]
        pub slope: Option<i32>,
        #[crd(one_of = [{ "multipleOf": 2 }])]
        pub height: i64,
        #[crd(not = { "enum": [5] })]
        pub width: i32,
        #[crd(all_of = [{ "minimum": 5, "exclusiveMinimum": true }, { "minimum": 6 }])]
        pub depth: i32,
        #[crd(items(any_of = [{ "maxLength": 63 }, { "not": { "maxLength": 3 } }]))]
        pub names: Vec<String>,
        #[crd(all_of = [{ "anyOf": [{ "minimum": 1 }] }, { "enum": [5] }])]
        pub count: i32,
        #[crd(all_of = [{ "properties": { "ready": { "enum": [true] } }, "required": ["ready"] }])]
        pub more: PlotStatus,
        #[crd(schema = { "type": "string", "x-kubernetes-validations": [{ "rule": "self != ''" }] })]
        pub ruled: String,
        #[crd(all_of = [{ "minimum": 5, "exclusiveMinimum": true }, { "maximum": 63 }])]
        pub flat: i32,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct PlotStatus {
        pub ready: bool,
    }
}
