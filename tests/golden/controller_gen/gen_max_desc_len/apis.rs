//! The case `gen` with descriptions that are truncated to 50 bytes.

pub mod foo {
    use genclient::prelude::*;

    #[genclient(skip_client, version = "foo")]
    #[group = "bar.example.com"]
    pub struct Foo {
        pub metadata: ObjectMeta,
        /// Desired state.
        #[serde(default)]
        pub spec: FooSpec,
        /// Observed state.
        #[serde(default)]
        pub status: FooStatus,
    }

    #[derive(Clone, Debug, Default, Serialize, Deserialize, CrdSchema)]
    #[serde(rename_all = "camelCase")]
    pub struct FooSpec {
        /// The API server fills this in when nothing is written,
        /// and readers of the schema see an example.
        #[crd(default = "fooDefaultString", example = "fooExampleString")]
        pub defaulted_string: String,
    }

    #[derive(Clone, Debug, Default, Serialize, Deserialize, CrdSchema)]
    pub struct FooStatus {}
}
