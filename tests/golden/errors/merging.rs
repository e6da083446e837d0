pub mod v1 {
    use genclient::prelude::*;

    #[genclient]
    #[group = "errors.example.com"]
    pub struct Merge {
        pub metadata: ObjectMeta,
        pub spec: MergeSpec,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct MergeSpec {
        #[crd(list_type = "map", list_map_keys = ["name"])]
        pub named: Vec<Option<Named>>,
        #[crd(schema = { "type": "string", "x-kubernetes-list-type": "set" })]
        pub no_list: Named,
        #[crd(schema = { "type": "string", "x-kubernetes-map-type": "atomic" })]
        pub no_object: Named,
        #[crd(schema = { "type": "array", "items": { "type": "string" }, "x-kubernetes-list-map-keys": ["a"] })]
        pub keys: Named,
        #[crd(schema = { "type": "array", "items": { "type": "string" }, "x-kubernetes-list-type": "map" })]
        pub no_keys: Named,
        #[crd(schema = { "type": "array", "items": { "type": "object", "properties": { "a": { "type": "string" } } }, "x-kubernetes-list-type": "set" })]
        pub granular: Named,
        #[crd(schema = {
            "type": "array",
            "items": {
                "type": "object",
                "nullable": true,
                "required": ["a", "b"],
                "properties": {
                    "a": { "type": "string" },
                    "b": { "type": "object" },
                    "c": { "type": "string", "nullable": true }
                }
            },
            "x-kubernetes-list-type": "map",
            "x-kubernetes-list-map-keys": ["a", "a", "b", "c"]
        })]
        pub all: Named,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct Named {
        pub name: String,
    }
}
