pub mod v1 {
    use genclient::prelude::*;

    #[genclient]
    #[group = "second.example.com"]
    pub struct Three {
        pub metadata: ObjectMeta,
        pub spec: Gone,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct Gone {
        pub name: String,
    }
}
