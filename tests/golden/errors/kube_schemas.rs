//! Kinds with kube's derive whose schema is known only at run time, next to a mistake.

pub mod v1 {
    use kube::CustomResource;
    use schemars::JsonSchema;
    use serde::{Deserialize, Serialize};

    #[derive(CustomResource, Clone, Debug, Deserialize, Serialize)]
    #[kube(group = "errors.example.com", version = "v1", kind = "Manual", schema = "manual")]
    pub struct ManualSpec {
        pub name: String,
    }

    #[derive(CustomResource, Clone, Debug, Deserialize, Serialize, JsonSchema)]
    #[kube(group = "errors.example.com", version = "v1", kind = "Derived")]
    pub struct DerivedSpec {
        pub by_hand: ByHand,
        #[schemars(transform = nothing)]
        pub mistake: String,
        #[x_kube(merge_strategy = ListMerge::Map(vec!["name".into()]))]
        pub parts: Vec<Part>,
    }

    #[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
    pub struct Part {
        pub name: Option<String>,
    }

    #[derive(Clone, Debug, Deserialize, Serialize)]
    pub struct ByHand {
        pub name: String,
    }

    impl JsonSchema for ByHand {
        fn json_schema(generator: &mut SchemaGenerator) -> Schema {
            let mut schema = Missing::json_schema(generator);
            close(&mut schema);
            schema
        }
    }

    #[derive(CustomResource, Clone, Debug, Deserialize, Serialize, JsonSchema)]
    #[kube(group = "errors.example.com", version = "v1", kind = "Watched", status = "WatchedStatus")]
    pub struct WatchedSpec {
        pub name: String,
    }
}
