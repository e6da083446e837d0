//! Default and example of a field, in another version of the group of the case `gen`.

pub mod zoo {
    use genclient::prelude::*;

    #[genclient(skip_client, version = "zoo")]
    #[group = "bar.example.com"]
    pub struct Zoo {
        pub metadata: ObjectMeta,
        /// Desired state.
        #[serde(default)]
        pub spec: ZooSpec,
        /// Observed state.
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
