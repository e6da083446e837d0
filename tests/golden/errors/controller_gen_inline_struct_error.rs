//! A tuple in place of Go's anonymous struct: serde serializes it as a list of mixed types.

pub mod v1 {
    use genclient::prelude::*;

    #[genclient(skip_client)]
    #[group = "testdata.kubebuilder.io"]
    pub struct InlineStruct {
        pub metadata: ObjectMeta,
        pub spec: InlineStructSpec,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct InlineStructSpec {
        pub test_struct: (String, i32),
    }
}
