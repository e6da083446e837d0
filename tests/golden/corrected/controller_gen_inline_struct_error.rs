//! A named struct in place of Go's anonymous struct: serde serializes it as an object.

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
        pub test_struct: TestStruct,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    pub struct TestStruct {
        pub text: String,
        pub number: i32,
    }
}
