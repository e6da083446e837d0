//! `at_most_one_of` with optional fields, with and without `#[serde(default)]`.

pub mod v1beta1 {
    use genclient::prelude::*;

    #[genclient(skip_client)]
    #[group = "testdata.kubebuilder.io"]
    pub struct Oneof {
        pub metadata: ObjectMeta,
        pub spec: OneofSpec,
    }

    #[derive(Clone, Debug, Default, Serialize, Deserialize, CrdSchema)]
    #[serde(default, rename_all = "camelCase")]
    pub struct OneofSpec {
        #[serde(skip_serializing_if = "Option::is_none")]
        pub type_with_missing_tag: Option<TypeWithMissingTag>,
        #[serde(skip_serializing_if = "Option::is_none")]
        pub type_with_required_fields: Option<TypeWithRequiredFields>,
    }

    #[derive(Clone, Debug, Default, Serialize, Deserialize, CrdSchema)]
    #[crd(at_most_one_of = ["foo", "bar"])]
    pub struct TypeWithMissingTag {
        #[serde(default)]
        pub foo: Option<String>,
        #[serde(default)]
        pub bar: Option<String>,
    }

    #[derive(Clone, Debug, Default, Serialize, Deserialize, CrdSchema)]
    #[crd(at_most_one_of = ["foo", "bar"])]
    pub struct TypeWithRequiredFields {
        pub foo: Option<String>,
        pub bar: Option<String>,
    }
}
