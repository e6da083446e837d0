pub mod v1 {
    use genclient::prelude::*;

    #[genclient]
    #[group = "errors.example.com"]
    pub struct Widget {
        pub metadata: ObjectMeta,
        pub spec: WidgetSpec,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct WidgetSpec {
        #[crd(list_type = "map", list_map_keys = ["nmae"])]
        pub misspelt: Vec<Part>,
        #[crd(list_type = "map", list_map_keys = ["nothing"])]
        pub missing: Vec<Part>,
        #[crd(list_type = "map", list_map_keys = ["name"])]
        pub empty: Vec<Empty>,
        #[crd(list_type = "map", list_map_keys = ["inner"])]
        pub no_scalar: Vec<Part>,
        #[crd(list_type = "map", list_map_keys = ["note"])]
        pub absent: Vec<Part>,
        #[crd(list_type = "map", list_map_keys = ["null"])]
        pub null: Vec<Part>,
        #[crd(list_type = "map", list_map_keys = ["name"])]
        pub scalars: Vec<String>,
        #[crd(list_type = "set")]
        pub objects: Vec<Part>,
        #[crd(list_type = "set")]
        pub nulls: Vec<Option<String>>,
        #[crd(list_type = "set", items(struct_type = "atomic"))]
        pub fine: Vec<Part>,
        #[crd(list_type = "map", list_map_keys = ["name", "port"])]
        pub also_fine: Vec<Part>,
        #[crd(list_type = "map", list_map_keys = ["name"], default = [{ "name": "a" }, { "name": "a" }])]
        pub twice: Vec<Named>,
        #[crd(list_type = "set")]
        pub any_list: serde_json::Value,
        #[crd(map_type = "atomic")]
        pub any_map: serde_json::Value,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct Part {
        pub name: String,
        #[crd(default = 80)]
        pub port: u16,
        pub inner: Inner,
        #[serde(skip_serializing_if = "Option::is_none")]
        pub note: Option<String>,
        pub null: Option<String>,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct Named {
        pub name: String,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct Empty {}

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct Inner {
        pub a: String,
    }
}
