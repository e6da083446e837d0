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
        pub named: Vec<Named>,
        #[crd(schema = { "type": "array", "items": { "type": "string" }, "x-kubernetes-list-type": "set" })]
        pub no_list: Named,
        #[crd(schema = { "type": "object", "x-kubernetes-map-type": "atomic" })]
        pub no_object: Named,
        #[crd(schema = { "type": "array", "items": { "type": "string" }, "x-kubernetes-list-type": "set" })]
        pub keys: Named,
        #[crd(schema = { "type": "array", "items": { "type": "string" }, "x-kubernetes-list-type": "atomic" })]
        pub no_keys: Named,
        #[crd(schema = { "type": "array", "items": { "type": "object", "x-kubernetes-map-type": "atomic", "properties": { "a": { "type": "string" } } }, "x-kubernetes-list-type": "set" })]
        pub granular: Named,
        #[crd(schema = {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["a", "b"],
                "properties": {
                    "a": { "type": "string" },
                    "b": { "type": "integer" },
                    "c": { "type": "string", "default": "" }
                }
            },
            "x-kubernetes-list-type": "map",
            "x-kubernetes-list-map-keys": ["a", "b", "c"]
        })]
        pub all: Named,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct Named {
        pub name: String,
    }
}
