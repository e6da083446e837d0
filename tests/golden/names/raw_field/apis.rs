//! Raw identifiers: fields named like keywords keep their JSON names, and a module is `r#type`.

pub mod r#type {
    pub mod v1 {
        use genclient::prelude::*;

        #[genclient]
        #[group = "raw.example.com"]
        pub struct Stamp {
            pub metadata: ObjectMeta,
        }
    }
}

pub mod v1 {
    use genclient::prelude::*;

    #[genclient]
    #[group = "raw.example.com"]
    pub struct Parcel {
        pub metadata: ObjectMeta,
        pub spec: ParcelSpec,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    #[serde(rename_all = "camelCase")]
    pub struct ParcelSpec {
        pub r#type: String,
        pub r#match: Option<String>,
        pub r#in: Vec<String>,
        #[serde(rename = "self")]
        pub own: bool,
    }
}
