//! A default and an example, of another version of the same group.

pub mod zoo {
    use genclient::prelude::*;

    #[genclient(skip_client, version = "zoo")]
    #[group = "bar.example.com"]
    pub struct Zoo {
        pub metadata: ObjectMeta,
        /// What is wanted.
        #[serde(default)]
        pub spec: ZooSpec,
        /// What is found.
        #[serde(default)]
        pub status: ZooStatus,
    }

    #[derive(Clone, Debug, Default, Serialize, Deserialize, CrdSchema)]
    #[serde(rename_all = "camelCase")]
    pub struct ZooSpec {
        /// The API server fills this in when nothing is written,
        /// and readers of the schema see an example.
        #[crd(default = "zooDefaultString", example = "zooExampleString")]
        pub defaulted_string: String,
    }

    #[derive(Clone, Debug, Default, Serialize, Deserialize, CrdSchema)]
    pub struct ZooStatus {}
}
