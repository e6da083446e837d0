//! `at_most_one_of` with fields of its own type.

pub mod v1beta1 {
    use genclient::prelude::*;

    #[genclient(skip_client)]
    #[group = "testdata.kubebuilder.io"]
    pub struct Oneof {
        pub metadata: ObjectMeta,
        pub spec: OneofSpec,
    }

    #[derive(Clone, Debug, Default, Serialize, Deserialize, CrdSchema)]
    #[serde(default)]
    pub struct OneofSpec {
        #[serde(skip_serializing_if = "Option::is_none")]
        pub field: Option<TypeWithOneofs>,
    }

    #[derive(Clone, Debug, Default, Serialize, Deserialize, CrdSchema)]
    #[serde(default)]
    #[crd(at_most_one_of = ["foo", "bar"])]
    pub struct TypeWithOneofs {
        #[serde(skip_serializing_if = "Option::is_none")]
        pub foo: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        pub bar: Option<String>,
    }
}
