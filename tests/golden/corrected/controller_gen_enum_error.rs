//! An `enum` constraint with values on a string field.

pub mod v1 {
    use genclient::prelude::*;

    #[genclient(skip_client)]
    #[group = "testdata.kubebuilder.io"]
    pub struct EnumError {
        pub metadata: ObjectMeta,
        pub spec: EnumErrorSpec,
    }

    #[derive(Clone, Debug, Default, Serialize, Deserialize, CrdSchema)]
    #[serde(default)]
    pub struct EnumErrorSpec {
        #[serde(skip_serializing_if = "String::is_empty")]
        #[crd(enum = ["a", "b"])]
        pub field: String,
    }
}
